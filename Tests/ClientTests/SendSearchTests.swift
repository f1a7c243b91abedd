@_spi(Baton) @testable import BatonClient
import Foundation
import Testing

@Suite("Files that are sent", .timeLimit(.minutes(60)))
struct SendSearchTests {
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let directory = NSTemporaryDirectory() + "send-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try body(directory)
    }

    private func write(_ path: String, _ text: String = "x", mode: Int = 0o644) throws {
        let parent = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    private func refusal(_ paths: [String]) -> String {
        let error = #expect(throws: SendError.self) { try SendSearch(paths) }
        return error?.message ?? ""
    }

    @Test("Everything below a directory is sent, with sizes and permissions, in the order of the paths")
    func tree() throws {
        try withDirectory { directory in
            let root = directory + "/project"
            let files = ["Makefile": 0o644, "src/a.c": 0o600, "src/deep/er/b.c": 0o444, "run": 0o755, ".hidden": 0o640]
            for (path, mode) in files { try write("\(root)/\(path)", path, mode: mode) }
            try FileManager.default.createDirectory(atPath: root + "/empty/er", withIntermediateDirectories: true)
            let found = try SendSearch([root]).files
            let expected = files.map { ("project/\($0.key)", $0.value) }.sorted {
                $0.0.utf8.lexicographicallyPrecedes($1.0.utf8)
            }
            #expect(found.map(\.path) == expected.map(\.0) && found.map { Int($0.mode) } == expected.map(\.1))
            #expect(found.allSatisfy { "project/".utf8.count + Int($0.size) == $0.path.utf8.count })
        }
    }

    @Test("A relative path is kept, and of another one the last part")
    func names() {
        for (path, names) in [
            (".", []), ("./", []), ("a", ["a"]), ("./a/b/", ["a", "b"]), ("a//b", ["a", "b"]), ("..", []),
            ("../a", ["a"]),
            ("a/../b/c", ["c"]), ("/", []), ("/a/b", ["b"]), ("/a/b/", ["b"]), ("../..", []),
        ] as [(String, [String])] {
            #expect(SendSearch.names(of: path) == names, "\(path)")
        }
    }

    @Test("Rules leave files and directories out, which nobody looks into")
    func rules() throws {
        try withDirectory { directory in
            for path in ["a.o", "a.c", ".git/config", "out/big", "d/e.o", "d/keep.o", "d/x"] {
                try write("\(directory)/in/\(path)")
            }
            #expect(mkfifo(directory + "/in/out/pipe", 0o600) == 0)
            try write(directory + "/in/.batonignore", "# what make makes\n*.o\n!keep.o\nout/\n")
            #expect(try SendSearch([directory + "/in"]).files.map(\.path) == ["in/a.c", "in/d/keep.o", "in/d/x"])
            try write(directory + "/in/.batonignore", "*")
            #expect(refusal([directory + "/in"]).contains("no file to send"))
        }
    }

    @Test(
        "Links to files of the directory count as these, and all else that is no file is refused, unless it is left out"
    )
    func links() throws {
        try withDirectory { directory in
            let root = directory + "/in"
            try write(root + "/d/file", "seven b", mode: 0o755)
            try write(directory + "/outside")
            try link(root + "/near", to: "d/file")
            try link(root + "/far", to: root + "/d/../d/file")
            let found = try SendSearch([root]).files
            #expect(found.map(\.path) == ["in/d/file", "in/far", "in/near"])
            #expect(found.allSatisfy { $0.size == 7 && $0.mode == 0o755 && $0.place.hasSuffix("/d/file") })
            for (target, words) in [
                ("../outside", "leads out of"), (directory + "/outside", "leads out of"),
                ("nothing", "leads to nothing"),
                ("d", "link to a directory"), ("/dev/null", "leads out of"), ("strange", "leads to nothing"),
                ("../in2", "leads out of"),
            ] {
                try? FileManager.default.createDirectory(atPath: directory + "/in2", withIntermediateDirectories: true)
                try link(root + "/strange", to: target)
                #expect(refusal([root]).contains(words), "\(target)")
                try FileManager.default.removeItem(atPath: root + "/strange")
            }
            #expect(mkfifo(root + "/strange", 0o600) == 0)
            #expect(
                refusal([root]).contains("is a named pipe") && refusal([root + "/strange"]).contains("is a named pipe")
            )
            #expect(refusal(["/dev/null"]).contains("is a device"))
            try write(root + "/.batonignore", "/strange")
            #expect(try SendSearch([root]).files.count == 3)
            // Their user has named it.
            try link(directory + "/root", to: "in")
            #expect(
                try SendSearch([directory + "/root"]).files.map(\.path) == ["root/d/file", "root/far", "root/near"]
            )
        }
    }

    @Test("Several paths are sent together, what is in two of them once, and two files of one path are refused")
    func several() throws {
        try withDirectory { directory in
            for path in ["a/x/1", "a/2", "b/x/1", "x"] { try write("\(directory)/\(path)") }
            let both = try SendSearch(["\(directory)/a/x", "\(directory)/a/x/1", "\(directory)/a/x"]).files
            #expect(both.map(\.path) == ["1", "x/1"])
            #expect(
                refusal(["\(directory)/a/x", "\(directory)/b/x"]).contains("Two files are sent for one path, \"x/1\"")
            )
            #expect(refusal(["\(directory)/a/x", "\(directory)/x"]).contains("A file and a directory"))
            #expect(refusal(["\(directory)/none"]).contains("cannot be sent: No such file"))
            #expect(refusal([""]).contains("cannot be sent") && refusal(["a\0b"]).contains("cannot be sent"))
        }
    }

    @Test("A name that is no UTF-8 is refused, unless a rule leaves out its directory")
    func otherNames() throws {
        try withDirectory { directory in
            try write(directory + "/in/a")
            try write(directory + "/in/d/b")
            let path = Array("\(directory)/in/d/".utf8) + [0xFF, 0]
            path.withUnsafeBufferPointer { bytes in
                bytes.withMemoryRebound(to: CChar.self) { name in
                    let descriptor = name.baseAddress.map { open($0, O_CREAT | O_WRONLY, 0o600) } ?? -1
                    #expect(descriptor >= 0 && close(descriptor) == 0)
                }
            }
            #expect(refusal([directory + "/in"]).contains("not in UTF-8"))
            try write(directory + "/in/.batonignore", "d/")
            #expect(try SendSearch([directory + "/in"]).files.map(\.path) == ["in/a"])
        }
    }
}
