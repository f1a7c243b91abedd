@_spi(Baton) import BatonArguments
import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import baton_cli

@Suite("Submissions of the command line")
struct CommandLineSubmissionTests {
    /// Files that a test writes; they go with the test.
    private final class Files {
        private let directory = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString)")

        deinit { try? FileManager.default.removeItem(at: directory) }

        /// Writes a file, and returns its path.
        func write(_ text: String, to name: String) throws -> String {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let file = directory.appending(path: name)
            try Data(text.utf8).write(to: file)
            return file.path
        }
    }

    private let directory = FileManager.default.currentDirectoryPath
    private let files = Files()

    /// Parses a command line into a submission.
    private func submission(_ arguments: String...) throws -> Submission {
        switch BatonCommand.outcome(of: ["submit"] + arguments) {
        case .command(let command): return try #require(command as? SubmitCommand).operation.submission()
        case .failure(let error): throw error
        case .help, .version: throw CocoaError(.featureUnsupported)
        }
    }

    @Test("A command alone is submitted as one operation with the defaults, in the current directory")
    func plain() throws {
        let submission = try submission("--", "echo", "--name", "{}")
        #expect(
            submission
                == Submission(
                    templates: [Template(work: Work(.commands([["echo", "--name", "{}"]]), directory: directory))],
                    entries: [Entry(template: 0, queue: 0)]
                )
        )
        #expect(throws: Never.self) { try submission.validated() }
    }

    @Test("BL8 With --shell, the command is a line of text, whose places get the items of an array")
    func shell() throws {
        let bash = ["bash", "-euo", "pipefail", "-c"]
        let one = try submission("--shell", "bash -euo pipefail -c", "--", "a | b")
        #expect(one.templates[0].work.kind == .commands([bash + ["a | b"]]))
        let array = try submission("--shell", "bash -euo pipefail -c", "--each", "x,y", "--", "a {} | b")
        #expect(array.templates[0].work.kind == .commands([bash + ["a \"${1}\" | b", "bash", "{}"]]))
        let graph = try files.write("{ operations: [{ command: 'a | b' }] }", to: "graph.json")
        let read = try submission("--shell", "bash -euo pipefail -c", "--file", graph)
        #expect(read.templates[0].work.kind == .commands([bash + ["a | b"]]))
        #expect(throws: UsageError.self) { try submission("--shell", "bash -c", "--", "a", "b") }
        #expect(throws: UsageError.self) { try submission("--shell", "bash -e", "--", "a") }
    }

    @Test("Each option of submit sets its field of the submission")
    func options() throws {
        let submission = try submission(
            "--name",
            "sepia",
            "--queue",
            "images",
            "--priority",
            "high",
            "--qos",
            "utility",
            "--after",
            "12",
            "--needs",
            "12/3",
            "--needs=13/b",
            "--on-failure",
            "14",
            "--retries",
            "2",
            "--retry-delay",
            "250ms",
            "--restart",
            "never",
            "--timeout",
            "10m",
            "--grace",
            "forever",
            "--delay",
            "1h",
            "--env",
            "A=1",
            "--env",
            "B=x=y",
            "--cwd",
            "/tmp",
            "--stdin",
            "in.txt",
            "--key",
            "once",
            "--",
            "convert",
            "a",
            "b"
        )
        let work = Work(
            .commands([["convert", "a", "b"]]),
            environment: ["A": "1", "B": "x=y"],
            directory: "/tmp",
            standardInput: directory + "/in.txt",
            timeout: .seconds(600),
            gracePeriod: .forever
        )
        let template = Template(
            work: work,
            retries: 2,
            retryDelay: .milliseconds(250),
            restart: .never,
            qualityOfService: .utility
        )
        let entry = Entry(
            name: "sepia",
            template: 0,
            queue: 0,
            priority: .high,
            delay: .seconds(3600),
            dependencies: [
                Dependency(on: .existing(.job(JobNumber(12))), condition: .any),
                Dependency(on: .existing(.operation(OperationID(job: JobNumber(12), index: 3))), condition: .success),
                Dependency(on: .existing(.named(JobNumber(13), "b")), condition: .success),
                Dependency(on: .existing(.job(JobNumber(14))), condition: .failure),
            ]
        )
        #expect(
            submission
                == Submission(
                    name: "sepia",
                    key: "once",
                    queueNames: ["images"],
                    templates: [template],
                    entries: [entry]
                )
        )
    }

    @Test(
        "PR5 A priority may be given as a number, which moves towards normal to the nearest priority",
        arguments: [("-4", Priority.low), ("7", .high), ("-9", .veryLow)]
    )
    func priorities(text: String, priority: Priority) throws {
        #expect(try submission("--priority", text, "--", "x").entries[0].priority == priority)
    }

    @Test("An array stays a range in the submission")
    func array() throws {
        #expect(
            try submission("--array", "1-1000:2", "--", "x", "{}").entries[0].array
                == .numbers(first: 1, step: 2, count: 500)
        )
    }

    @Test(
        "The lines of a file become an array, with or without an end of the last line",
        arguments: ["a\n\nb c", "a\n\nb c\n"]
    )
    func lines(text: String) throws {
        let file = try files.write(text, to: "items")
        #expect(try submission("--each-line", file, "--", "x", "{}").entries[0].array == .lines(["a", "", "b c"]))
        let other = try files.write("a\r\n\r\nb\rc\r\n", to: "lines.txt")
        #expect(try submission("--each-line", other, "--", "x", "{}").entries[0].array == .lines(["a", "", "b\rc"]))
        let empty = try files.write("", to: "empty.txt")
        let refusal = #expect(throws: CommandFailure.self) { try submission("--each-line", empty, "--", "x", "{}") }
        #expect(refusal?.message == "The file \(empty) has no lines, so there is nothing to run.")
        #expect(refusal?.status == 65)
    }

    @Test(
        "Items between zero bytes become an array as they are, with or without an end of the last item",
        arguments: ["a\n\0\0\u{FEFF}b c\r", "a\n\0\0\u{FEFF}b c\r\0"]
    )
    func items(text: String) throws {
        func array(_ text: String) throws -> ArrayValues? {
            try submission("--each-line0", files.write(text, to: "items"), "--", "x", "{}").entries[0].array
        }
        #expect(try array(text) == .lines(["a\n", "", "\u{FEFF}b c\r"]))
        #expect(try array("one") == .lines(["one"]))
        let empty = #expect(throws: CommandFailure.self) { try array("") }
        #expect(empty?.status == 65 && empty?.message.contains("there is nothing to run") == true)
        let lines = #expect(throws: CommandFailure.self) { try array("a\nb\n") }
        #expect(lines?.status == 65 && lines?.advice?.contains("--each-line ") == true)
    }

    @Test("A graph is read in both forms, and a key on the command line replaces the graph's key")
    func graphs() throws {
        let graph = try files.write(
            "{ name: 'g', key: 'in file', operations: [ { name: 'a', command: 'true' } ] }",
            to: "g.json"
        )
        #expect(try submission("--file", graph).name == "g")
        #expect(try submission("--file", graph).key == "in file")
        #expect(try submission("--file", graph, "--key", "k").key == "k")
        let lines = try files.write(
            "{\"name\":\"a\",\"command\":[\"true\"]}\n{\"name\":\"b\",\"command\":[\"true\"],\"after\":[\"a\"]}\n",
            to: "g.jsonl"
        )
        #expect(try submission("--file", lines).entries.map(\.name) == ["a", "b"])
    }

    @Test(
        "Standard input is read as one operation a line if its first line is a whole operation",
        arguments: [
            (#"{"name":"a","command":["x"]}"# + "\n" + #"{"name":"b","command":["x"]}"#, true),
            (#"{"name":"a","command":["x"]}"#, true),
            (#"{"queues":{}}"# + "\n" + #"{"name":"operations","command":["x"]}"#, true),
            (#"{"operations":[{"command":["x"]}]}"#, false),
            (#"{"operations":[{"command":["x"]}]}"# + "\n", false),
            ("{\n operations: []\n}", false),
            ("// a graph\n{ operations: [] }", false),
            ("", false),
        ]
    )
    func formOfStandardInput(text: String, isOneALine: Bool) {
        #expect(GraphInput.isOneOperationALine(Array(text.utf8)) == isOneALine)
    }

    @Test("A file that is missing or not UTF-8 is refused with its exit status")
    func badFiles() throws {
        let missing = #expect(throws: CommandFailure.self) { try submission("--file", "/nonexistent/g.json") }
        #expect(missing?.status == 66)
        #expect(missing?.message == "The file /nonexistent/g.json cannot be read: No such file or directory.")
        let file = try files.write("", to: "items")
        try Data([0xFF, 0xFE, 0x0A]).write(to: URL(fileURLWithPath: file))
        let noText = #expect(throws: CommandFailure.self) { try submission("--each-line", file, "--", "x") }
        #expect(noText?.status == 65)
    }
}
