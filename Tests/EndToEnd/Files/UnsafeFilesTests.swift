import Foundation
import Testing

extension EndToEndTests {
    /// Names and kinds of files that are refused.
    @Suite("Unsafe files", .timeLimit(.minutes(60)))
    struct UnsafeFilesTests {
        @Test(
            "FI2 A pattern that leads out of the directory is refused before anything is submitted",
            arguments: ["../x", "/etc/passwd", "a/../../x", "..", "a//b", "./x", "", "**", "a/**/b", "/", "?"]
        )
        func fi2Patterns(_ pattern: String) async throws {
            try await withCluster(workers: 0) { cluster in
                let refused = try await cluster.baton("submit", "--outputs", pattern, "--", "true")
                #expect([64, 65].contains(refused.status), "\(refused)")
                #expect(refused.output.isEmpty && !refused.errors.isEmpty, "\(refused)")
                try cluster.write(#"{operations: [{command: "true", outputs: ["\#(pattern)"]}]}"#, to: "graph.json")
                let file = try await cluster.baton("submit", "--file", "graph.json")
                #expect(file.status == 65 && file.errors.contains("graph.json"), "\(file)")
                #expect(try await cluster.json("list").jobs == [])
            }
        }

        @Test(
            "FI2 A link that leads out, a FIFO or a socket in the place of a declared file fails the operation, and is never opened",
            arguments: ["shared", "fresh"],
            [
                "ln -s /etc/passwd out/x", "ln -s ../../../../../../../../etc out/x", "ln -s / out/x",
                "mkfifo out/x", "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"out/x\")'",
                "rm -r out; ln -s /etc out",
            ]
        )
        func fi2Kinds(workspace: String, _ maker: String) async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                // One pattern takes the whole directory, the other names the file.
                for pattern in ["out/", "out/x"] {
                    let directory = cluster.home.appending(path: "cwd-\(UUID().uuidString)")
                    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
                    let place = workspace == "fresh" ? "workspace: 'fresh'" : "cwd: '\(directory.path)'"
                    let command = "mkdir out; echo good > out/good; \(maker)"
                    let job = try await cluster.submit(
                        graph: "{operations: [{command: \(Self.quoted(command)), outputs: ['\(pattern)'], \(place)}]}"
                    )
                    #expect(try await cluster.finish(job) == 1, "\(pattern)")
                    let failed = try await cluster.show("\(job)/0")
                    #expect((failed.outcome, failed.reason) == ("failed", "files"), "\(failed)")
                    #expect(failed.message.string.contains("out"), "\(failed.message)")
                    #expect(try await cluster.files("\(job)/0").isEmpty)
                }
                // Nothing of a refused attempt is left, not even the good file.
                #expect(cluster.objects(of: "w1").isEmpty)
            }
        }

        @Test(
            "FI2 A device in the place of a declared file fails the operation",
            .enabled(if: geteuid() == 0, "only root can make a device")
        )
        func fi2Device() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startHost("w1")
                let job = try await cluster.submit(
                    script: "mknod x c 1 5 || : > other",
                    "--workspace",
                    "fresh",
                    "--outputs",
                    "x"
                )
                #expect(try await cluster.finish(job) == 1)
                #expect(try await cluster.show("\(job)/0").reason == "files")
            }
        }

        @Test("A workspace and a directory together, and outputs of what runs no command, are refused with a sentence")
        func contradictions() async throws {
            try await withCluster(workers: 0) { cluster in
                for (operation, word) in [
                    ("command: 'true', workspace: 'fresh', cwd: '/tmp'", "workspace"),
                    ("command: 'true', workspace: 'old'", "workspace"),
                    ("kind: 'noop', outputs: ['x']", "outputs"), ("type: 'resize', outputs: ['x']", "outputs"),
                ] {
                    try cluster.write("{operations: [{\(operation)}]}", to: "graph.json")
                    let refused = try await cluster.baton("submit", "--file", "graph.json")
                    #expect(refused.status == 65 && refused.errors.contains(word), "\(operation): \(refused)")
                }
                #expect(try await cluster.json("list").jobs == [])
            }
        }

        /// A string of JSON5.
        private static func quoted(_ text: String) -> String {
            "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        }
    }
}
