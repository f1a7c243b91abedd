@_spi(Baton) import BatonTestSockets
import Foundation
import Testing

/// The programs in `Tests/Examples/REST`, which know of Baton its web interface alone.
@Suite("Examples of the web interface", .timeLimit(.minutes(60)))
struct WebExampleTests {
    /// The programs with their interpreters.
    private static let programs = ["python3": "graph.py", "sh": "graph.sh"]

    /// Starts a program, which finds its token in the cluster's home.
    private func start(_ interpreter: String, _ arguments: String, in cluster: TestCluster) async throws -> ChildProcess
    {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let program = folder.appending(path: "Examples/REST/\(try #require(Self.programs[interpreter]))").path
        let url = try await cluster.web().url
        return try cluster.start(script: "BATON_URL='\(url)' exec \(interpreter) '\(program)' \(arguments)")
    }

    @Test(
        "A program submits a graph, follows it, and prints results and failures; a second run under its key follows the same job",
        arguments: programs.keys.sorted()
    )
    func wholeWay(_ interpreter: String) async throws {
        try await withCluster(coordinator: TestCluster.withHTTP) { cluster in
            let gate = try cluster.gate()
            let graph = #"""
                { "name": "study", "operations": [
                  { "name": "a", "command": "\#(gate.wait); printf 7 > $BATON_RESULT" },
                  { "name": "b", "command": "echo no disk >&2; exit 3", "needs": ["a"] },
                  { "name": "c", "command": "true", "needs": ["b"] },
                  { "command": "printf 'two words' > $BATON_RESULT" },
                  { "name": "silent", "command": "exit 4" } ] }
                """#
            try cluster.write(graph, to: "graph.json")
            for run in 1...2 {
                let program = try await start(interpreter, "graph.json key", in: cluster)
                if run == 1 {
                    try await program.output(containing: "1/0 executing")
                    try await gate.arrival()
                    try await gate.open()
                }
                #expect(try await program.end() == 1)
                let lines = program.outputText.split(separator: "\n").map(String.init)
                #expect(lines.first == "job 1" && lines.last == "job 1 failed", "\(program.errorText)")
                for line in ["a: 7", "1/3: two words", "no disk"] { #expect(lines.contains(line), "\(lines)") }
                for (address, status) in [("1/1", 3), ("1/4", 4)] {
                    let line = "1 failed: It exited with status \(status). One of them, \(address), wrote:"
                    #expect(lines.contains(line), "\(lines)")
                }
                // The second run finds the job finished.
                #expect(lines.contains("1/1 failed") == (run == 1), "\(lines)")
            }
            #expect(try await cluster.json("list").jobs.elements.count == 1)
        }
    }

    @Test(
        "A program goes on where it was when the coordinator is killed, and shows its token to nobody",
        arguments: programs.keys.sorted()
    )
    func restart(_ interpreter: String) async throws {
        // The interface has the same port again, which no other test takes.
        let host = LoopbackAddress.unique().dropFirst("tcp://".count).dropLast(":*".count)
        try await withCluster(coordinator: ["--http", "\(host):7462"]) { cluster in
            let gate = try cluster.gate()
            let graph = """
                { "operations": [
                  { "name": "first", "command": "\(gate.wait)" },
                  { "name": "last", "command": "printf 8 > $BATON_RESULT", "needs": ["first"] } ] }
                """
            try cluster.write(graph, to: "graph.json")
            let program = try await start(interpreter, "graph.json", in: cluster)
            try await program.output(containing: "1/0 executing")
            let token = try await cluster.web().token
            let commands = ProcessesOfTest.all(of: cluster.home.path).map(\.command)
            #expect(commands.contains { $0.contains("REST/graph") } && !commands.contains { $0.contains(token) })
            try await gate.arrival()
            try await cluster.restartCoordinator(with: SIGKILL)
            try await gate.open()
            #expect(try await program.end() == 0, "\(program.errorText)")
            let lines = program.outputText.split(separator: "\n")
            for line in ["1/0 succeeded", "1/1 succeeded", "last: 8", "job 1 succeeded"] {
                #expect(lines.filter { $0 == line }.count == 1, "\(program.outputText)")
            }
            #expect(!program.outputText.contains(token) && !program.errorText.contains(token))
        }
    }

    @Test("A program passes on the sentence with which a graph is refused", arguments: programs.keys.sorted())
    func refusal(_ interpreter: String) async throws {
        try await withCluster(workers: 0, coordinator: TestCluster.withHTTP) { cluster in
            try cluster.write(
                #"{ "operations": [ { "name": "a", "command": "true", "needs": ["b"] } ] }"#,
                to: "graph.json"
            )
            let program = try await start(interpreter, "graph.json", in: cluster)
            #expect(try await program.end() == 1)
            #expect(program.outputText.isEmpty && program.errorText.contains("\"b\""), "\(program.errorText)")
            let used = try await start(interpreter, "", in: cluster)
            #expect(try await used.end() == 64)
        }
    }
}
