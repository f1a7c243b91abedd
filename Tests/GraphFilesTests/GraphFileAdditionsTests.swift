@_spi(Baton) import BatonGraphFiles
@_spi(Baton) import BatonOperations
import Testing

/// The settings of the command line on top of a graph file.
@Suite("Additions to graph files")
struct GraphFileAdditionsTests {
    private static let twelve = Dependency(on: .existing(.job(JobNumber(12))), condition: .success)
    private static let additions = GraphFileAdditions(
        name: "tonight",
        queue: "night",
        priority: .low,
        environment: ["A": "line", "C": "line"],
        isHeld: true,
        dependencies: [twelve]
    )

    private static func read(_ text: String, areLines: Bool) throws(GraphFileError) -> Submission {
        var options = options
        options.additions = additions
        guard areLines else { return try GraphFile.submission(from: Array(text.utf8), options: options) }
        var reader = GraphLinesReader(options: options)
        try reader.read(Array(text.utf8))
        return try reader.finish()
    }

    private static let operations = [
        #"{ name: "first", command: ["x"] }"#,
        #"{ name: "own", command: ["x"], queue: "mine", priority: "high", env: { A: "own", B: "own" }, hold: false }"#,
        #"{ name: "second", command: ["x"], after: ["first", "9/*"] }"#,
        #"{ name: "other", command: ["x"], needs: ["9/*", "12/*"] }"#,
        #"{ name: "many", command: ["x", "{}"], array: "1-3" }"#,
    ]

    private static let header = """
        name: "daily", queue: "day", defaults: { priority: "veryHigh", queue: "noon", env: { A: "file", B: "file" } }
        """

    @Test(
        "The command line takes the place of the file's name, queue and defaults, and an operation's own settings stay",
        arguments: [
            (header: true, areLines: false), (header: false, areLines: false), (header: true, areLines: true),
            (header: false, areLines: true),
        ]
    )
    func precedence(form: (header: Bool, areLines: Bool)) throws {
        let header = form.header ? Self.header : ""
        let text =
            form.areLines
            ? (form.header ? "{ \(header) }\n" : "") + Self.operations.joined(separator: "\n")
            : "{ operations: [ \(Self.operations.joined(separator: ", ")) ], \(header) }"
        let submission = try Self.read(text, areLines: form.areLines)
        #expect(submission.name == "tonight")
        let queues = submission.entries.map { submission.queueNames[$0.queue] }
        #expect(queues == ["night", "mine", "night", "night", "night"])
        #expect(submission.entries.map(\.priority) == [.low, .high, .low, .low, .low])
        let environments = submission.entries.map { submission.templates[$0.template].work.environment }
        let shared = form.header ? ["A": "line", "B": "file", "C": "line"] : ["A": "line", "C": "line"]
        #expect(environments == [shared, ["A": "own", "B": "own", "C": "line"], shared, shared, shared])
    }

    @Test(
        "Holds and dependencies are for the operations without a dependency inside the file"
    )
    func firstOperations() throws {
        let text = "{ operations: [ \(Self.operations.joined(separator: ", ")) ] }"
        let entries = try Self.read(text, areLines: false).entries
        #expect(entries.map(\.isHeld) == [true, true, false, true, true])
        let nine = Dependency.Target.existing(.job(JobNumber(9)))
        let twelve = Self.twelve
        #expect(
            entries.map { Array($0.dependencies) } == [
                [twelve], [twelve], [Dependency(on: .entry(0)), Dependency(on: nine)],
                [Dependency(on: nine, condition: .success), twelve], [twelve],
            ]
        )
    }

    @Test("The job's maximum of failures and its hooks are read, and written as they were", arguments: [false, true])
    func settings(areLines: Bool) throws {
        let head = """
            maxFailures: 7, cancelRunning: true, deadline: "2h", hooks: { finish: "tell $BATON_OUTCOME", failure: ["mail", "me"], cwd: "there", env: { A: "2" } },
            defaults: { env: { A: "1", B: "1" }, timeout: "10s" }
            """
        let text =
            areLines
            ? "{ \(head.replacing("\n", with: " ")) }\n{ kind: 'noop' }"
            : "{ \(head), operations: [ { kind: 'noop' } ] }"
        let submission = try areLines ? readLines(text) : GraphFilesTests.read(text)
        let hooks = JobHooks(
            [.finish: ["/bin/sh", "-c", "tell $BATON_OUTCOME"], .failure: ["mail", "me"]],
            environment: ["A": "2", "B": "1"],
            directory: "/home/me/there",
            timeout: .seconds(10)
        )
        let expected = JobSettings(maxFailures: 7, cancelRunning: true, deadline: .seconds(7200), hooks: hooks)
        #expect(submission.settings == expected)
        let again = try GraphFilesTests.read(GraphFileWriter.text(of: submission))
        #expect(again.settings == submission.settings)
        var other = options
        other.additions.maxFailures = 2
        other.additions.deadline = .seconds(60)
        let changed = try GraphFile.submission(
            from: Array("{ \(head), operations: [ { kind: 'noop' } ] }".utf8),
            options: other
        )
        #expect(changed.settings.maxFailures == 2 && changed.settings.deadline == .seconds(60))
    }

    @Test(
        "Settings of the job that make no sense are refused",
        arguments: [
            ("maxFailures: 0", "expected a whole number from 1"),
            ("maxFailures: 1, cancelRunning: 1", "expected true or false, found a number"),
            ("deadline: '0s'", "a deadline has to be above zero; leave it out for none"),
            ("hooks: {}", "\"hooks\" has no command; give one for \"finish\", \"success\" or \"failure\""),
            ("hooks: { finsh: 'x' }", "unknown key \"finsh\"; did you mean \"finish\"?"),
            (
                "hooks: 'x'",
                "expected an object with commands for \"finish\", \"success\" or \"failure\", found a string"
            ),
        ]
    )
    func refused(member: String, sentence: String) {
        let message = message("{ \(member), operations: [ { kind: 'noop' } ] }") ?? ""
        #expect(message.hasSuffix(sentence), "\(message)")
    }

    @Test("A file without additions reads as before")
    func nothing() throws {
        let text = "{ \(Self.header), operations: [ \(Self.operations.joined(separator: ", ")) ] }"
        let submission = try GraphFile.submission(from: Array(text.utf8), options: options)
        #expect(submission.name == "daily" && submission.queueNames == ["noon", "mine"])
        #expect(submission.entries.map(\.isHeld) == [false, false, false, false, false])
        #expect(submission.entries.map(\.dependencies.count) == [0, 0, 2, 2, 0])
    }
}
