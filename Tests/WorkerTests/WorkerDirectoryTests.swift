import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonWorker

@Suite("The directory of a worker", .timeLimit(.minutes(60)))
struct WorkerDirectoryTests {
    /// Calls the body with the path of a missing directory.
    private func withPath(_ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    @Test("Each life in a directory is later than its earlier lives, and unordered with lives of other directories")
    func order() throws {
        try withPath { path in
            let lives = try (0..<3).map { _ in try WorkerDirectory(path).life }
            #expect(lives.map(\.start) == [1, 2, 3])
            #expect(lives[0].isEarlier(than: lives[1]) && lives[0].isEarlier(than: lives[2]))
            #expect(!lives[1].isEarlier(than: lives[0]) && !lives[1].isEarlier(than: lives[1]))
            try withPath { other in
                let stranger = try WorkerDirectory(other).life
                #expect(lives.allSatisfy { !$0.isEarlier(than: stranger) && !stranger.isEarlier(than: $0) })
            }
        }
    }

    @Test("Lives after a restored count of starts differ from each other")
    func putBack() throws {
        try withPath { path in
            _ = try WorkerDirectory(path)
            let kept = try Data(contentsOf: URL(filePath: path + "/starts"))
            var lives: Set<WorkerLife> = []
            for _ in 0..<8 {
                try kept.write(to: URL(filePath: path + "/starts"))
                lives.insert(try WorkerDirectory(path).life)
            }
            #expect(lives.allSatisfy { $0.start == 2 } && lives.count > 1)
        }
    }

    @Test(
        "An unreadable count of starts is replaced by a new count",
        arguments: ["", "12", "a b", "1 2 3", "16777216 1", "7 16777215", "-1 4", "\u{0}"]
    )
    func unreadable(text: String) throws {
        try withPath { path in
            _ = try WorkerDirectory(path)
            try Data(text.utf8).write(to: URL(filePath: path + "/starts"))
            let life = try WorkerDirectory(path).life
            #expect(life.start == 1)
            #expect(try WorkerDirectory(path).life.start == 2)
        }
    }

    @Test(
        "An obstacle at the directory may pass if nobody has to change the directory",
        arguments: [
            (ENOSPC, true), (EDQUOT, true), (EROFS, true), (EIO, true), (EMFILE, true), (ENFILE, true), (ENOMEM, true),
            (EACCES, false), (EPERM, false), (ENOTDIR, false),
        ] as [(Int32, Bool)]
    )
    func obstacle(code: Int32, mayPass: Bool) {
        let error = WorkerError.unusable("/w", code: code)
        #expect((error.code, error.mayPass) == (.directory, mayPass))
        #expect(error.message.contains("\"/w\""))
    }

    @Test("A worker whose count of starts cannot be written is refused, and leaves its directory unlocked")
    func unwritable() throws {
        try withPath { path in
            try FileManager.default.createDirectory(atPath: path + "/starts.new", withIntermediateDirectories: true)
            let failure = #expect(throws: WorkerError.self) { try WorkerDirectory(path) }
            #expect(failure?.description.contains("cannot count its starts") == true)
            // Nor does it keep the directory locked.
            try FileManager.default.removeItem(atPath: path + "/starts.new")
            #expect(try WorkerDirectory(path).life.start == 1)
        }
    }

    /// The permissions of a file or directory.
    private func mode(_ path: String) throws -> Int? {
        let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        return found?.intValue
    }

    @Test(
        "A worker's directory and files are readable by their owner alone, also if they existed before",
        arguments: [false, true]
    )
    func permissions(isOld: Bool) throws {
        try withPath { home in
            let path = home + "/workers/w1"
            if isOld {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                for name in ["lock", "starts"] {
                    let mode = [FileAttributeKey.posixPermissions: 0o644]
                    #expect(FileManager.default.createFile(atPath: "\(path)/\(name)", contents: nil, attributes: mode))
                }
            }
            _ = try WorkerDirectory(path)
            for name in ["lock", "starts", "identity"] { #expect(try mode("\(path)/\(name)") == 0o600) }
            for name in ["", "/outputs", "/results", "/inputs"] { #expect(try mode(path + name) == 0o700) }
            if !isOld { #expect(try mode(home + "/workers") == 0o700 && mode(home) == 0o700) }
        }
    }

    @Test("A directory keeps its identity, other directories have others, and a forgotten identity is drawn anew")
    func identity() throws {
        try withPath { path in
            let first = try WorkerDirectory(path).identity
            #expect(first.id != .unknown && first.madeUpName == nil)
            #expect(try WorkerDirectory(path).identity == first)
            try withPath { other in
                let stranger = try WorkerDirectory(other).identity
                #expect(stranger != first)
            }
            // A worker in a copied directory draws a new identity at its next start.
            try WorkerDirectory(path).forgetIdentity()
            #expect(try WorkerDirectory(path).identity != first)
        }
    }

    @Test(
        "An unreadable identity is replaced by a new identity",
        arguments: ["", "0", "xyz", "12 two words", "12 1/2", "\u{0}"]
    )
    func unreadableIdentity(text: String) throws {
        try withPath { path in
            let first = try WorkerDirectory(path).identity
            try Data(text.utf8).write(to: URL(filePath: path + "/identity"))
            let second = try WorkerDirectory(path).identity
            #expect(second != first && second.id != .unknown)
            #expect(try WorkerDirectory(path).identity == second)
        }
    }

    @Test("A worker without a name takes the first unused directory of its parent, or makes another")
    func unnamed() throws {
        try withPath { parent in
            _ = try WorkerDirectory(parent + "/a-named-one")
            let together = try (0..<3).map { _ in try WorkerDirectory.unnamed(in: parent, host: "node") }
            #expect(Set(together.map(\.name)).count == 3 && together.allSatisfy { $0.name.hasPrefix("node-") })
            let names = together.map(\.name).sorted()
            let identities = Dictionary(uniqueKeysWithValues: together.map { ($0.name, $0.identity) })
            together[0].unlock()
            let again = try WorkerDirectory.unnamed(in: parent, host: "node")
            #expect(again.name == together[0].name && again.identity == together[0].identity)
            for directory in together + [again] { directory.unlock() }
            let first = try WorkerDirectory.unnamed(in: parent, host: "another")
            #expect(first.name == names[0] && first.identity == identities[names[0]])
            // After a copy of its directory, a nameless worker gets another name and another identity.
            first.forgetIdentity()
            first.unlock()
            #expect(try WorkerDirectory.unnamed(in: parent, host: "node").name == names[1])
        }
    }

    @Test("A made-up name is valid and contains the host's name", arguments: ["node-1", "3f2a9c", "", "ä.b"])
    func madeUpName(host: String) {
        var random = SplitMix(seed: 1)
        let names = (0..<100).map { _ in WorkerIdentity.makeUpName(host: host, using: &random) }
        #expect(names.allSatisfy(Name.isValid) && Set(names).count == 100)
        #expect(names.allSatisfy { $0.contains(host) } || host.isEmpty)
    }
}
