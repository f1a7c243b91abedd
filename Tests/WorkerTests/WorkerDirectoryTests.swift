import Foundation
import Glibc
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

    @Test(
        "A link or a pipe in the place of a file of its own keeps a worker from starting, and nothing is changed",
        arguments: ["lock", "starts", "identity", "groups", "ledger"],
        Intruder.allCases
    )
    func intruders(name: String, intruder: Intruder) throws {
        try withPath { home in
            let (path, target) = (home + "/w1", home + "/target")
            let first = try WorkerDirectory(path).life
            let content = Data("1 7\n".utf8)
            try content.write(to: URL(filePath: target))
            try #require(chmod(target, 0o644) == 0)
            let end = try intruder.replace("\(path)/\(name)", target: target)
            let failure = #expect(throws: WorkerError.self) { try WorkerDirectory(path) }
            #expect(failure?.code == .directory)
            let sentence = "The file \"\(path)/\(name)\" of the worker is a link, or no ordinary file. Remove it."
            #expect(failure?.description == sentence)
            #expect(try mode(target) == 0o644 && Data(contentsOf: URL(filePath: target)) == content)
            end()
            // Nor does it keep the directory locked.
            try FileManager.default.removeItem(atPath: "\(path)/\(name)")
            #expect(try WorkerDirectory(path).life != first)
        }
    }

    @Test("A nameless worker passes over an identity that is a link or a pipe", arguments: Intruder.allCases)
    func namelessIntruder(intruder: Intruder) throws {
        try withPath { home in
            let first = try WorkerDirectory.unnamed(in: home + "/workers", host: "node")
            first.unlock()
            let target = home + "/target"
            try FileManager.default.copyItem(atPath: first.path + "/identity", toPath: target)
            let end = try intruder.replace(first.path + "/identity", target: target)
            defer { end() }
            #expect(try WorkerDirectory.unnamed(in: home + "/workers", host: "node").name != first.name)
        }
    }

    @Test("Links in the place of directories are no place for files: that of outputs is refused, others are made anew")
    func linkedDirectories() throws {
        try withPath { home in
            let (path, target) = (home + "/w1", home + "/target")
            _ = try WorkerDirectory(path)
            try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
            try Data().write(to: URL(filePath: target + "/blank-1"))
            for name in ["results", "inputs"] {
                try FileManager.default.removeItem(atPath: "\(path)/\(name)")
                try #require(symlink(target, "\(path)/\(name)") == 0)
            }
            let directory = try WorkerDirectory(path)
            #expect(try mode(directory.results) == 0o700 && mode(directory.inputs) == 0o700)
            directory.unlock()
            try FileManager.default.removeItem(atPath: directory.outputs)
            try #require(symlink(target, directory.outputs) == 0)
            let failure = #expect(throws: WorkerError.self) { try WorkerDirectory(path) }
            #expect(failure?.description.contains("is a link, or no directory. Remove what is there.") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: target) == ["blank-1"])
        }
    }

    @Test("The mode of a directory to which the worker's path is a link stays as it is")
    func linkedPath() throws {
        try withPath { home in
            let target = home + "/target"
            try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
            try #require(chmod(target, 0o755) == 0 && symlink(target, home + "/w1") == 0)
            _ = try WorkerDirectory(home + "/w1")
            #expect(try mode(target) == 0o755)
        }
    }

    @Test(
        "A running worker makes anew what another program has replaced in its directory",
        arguments: Intruder.allCases
    )
    func restored(intruder: Intruder) throws {
        try withPath { home in
            let target = home + "/target"
            let directory = try WorkerDirectory(home + "/w1")
            try Data("precious".utf8).write(to: URL(filePath: target))
            for name in ["lock", "starts", "identity", "results", "inputs"] {
                let path = "\(directory.path)/\(name)"
                let end = try intruder.replace(path, target: target)
                defer { end() }
                #expect(try directory.restore(), "\(name)")
                #expect(try !directory.restore(), "\(name)")
                let isDirectory = name == "results" || name == "inputs"
                #expect(try mode(path) == (isDirectory ? 0o700 : 0o600))
            }
            #expect(throws: Never.self) { try directory.check() }
            // The lock, the count and the identity hold as before.
            #expect(throws: WorkerError.self) { try WorkerDirectory(directory.path) }
            directory.unlock()
            let next = try WorkerDirectory(directory.path)
            #expect(next.identity == directory.identity && next.life.start == directory.life.start + 1)
            #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")

            try FileManager.default.removeItem(atPath: next.outputs)
            try intruder.put(at: next.outputs, target: target)
            #expect(throws: FileFailure(noDirectoryAt: next.outputs)) { try next.restore() }
        }
    }

    @Test("The directory of results is another one after its removal, its replacement and its return")
    func resultsPlace() throws {
        try withPath { path in
            let directory = try WorkerDirectory(path)
            let first = try #require(directory.resultsPlace.number)
            try FileManager.default.removeItem(atPath: directory.results)
            #expect(directory.resultsPlace.number == nil)
            #expect(try directory.restore())
            let second = try directory.check()
            #expect(second != first)
            // Another program's directory of the same name.
            try FileManager.default.removeItem(atPath: directory.results)
            try FileManager.default.createDirectory(atPath: directory.noInputs, withIntermediateDirectories: true)
            #expect(throws: FileFailure.self) { try directory.check() }
            #expect(try directory.restore())
            #expect(try directory.check() != second)
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
