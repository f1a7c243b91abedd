@_spi(Baton) import BatonGraphFiles
@_spi(Baton) import BatonOperations
import Testing

@Suite("Files that a graph sends")
struct SendTests {
    private func read(
        _ text: String,
        areLines: Bool = false,
        adding send: [String] = []
    ) throws(GraphFileError) -> Submission {
        var options = options
        options.sendsFiles = true
        options.additions.send = send
        guard areLines else { return try GraphFile.submission(from: Array(text.utf8), options: options) }
        var reader = GraphLinesReader(options: options)
        try reader.read(Array(text.utf8))
        return try reader.finish()
    }

    private func refusal(_ text: String, adding send: [String] = []) -> GraphFileError? {
        do throws(GraphFileError) {
            _ = try read(text, adding: send)
            return nil
        } catch {
            return error
        }
    }

    private static let operations = [
        #"{ name: "a", command: ["a"] }"#, #"{ name: "b", command: ["b", "{}"], array: "1-9", needs: ["a"] }"#,
        #"{ name: "here", command: ["c"], cwd: "/data" }"#, #"{ name: "join", kind: "noop", after: ["b"] }"#,
        #"{ name: "own", command: ["d"], needs: ["sent"], workspace: "fresh", inputs: { "sent/x": "y" } }"#,
    ]

    @Test(
        "Commands without a place of their own need the files, whoever names these, wherever the file does",
        arguments: [
            (head: true, added: false, areLines: false), (head: false, added: true, areLines: false),
            (head: true, added: true, areLines: false), (head: true, added: false, areLines: true),
            (head: false, added: true, areLines: true), (head: true, added: true, areLines: true),
        ]
    )
    func given(form: (head: Bool, added: Bool, areLines: Bool)) throws {
        let member = #"send: ["src", "../x"]"#
        let all = Self.operations.joined(separator: ", ")
        let text =
            form.areLines
            ? (form.head ? "{ \(member) }\n" : "") + Self.operations.joined(separator: "\n")
            : "{ operations: [\(all)]\(form.head ? ", \(member)" : "") }"
        let submission = try read(text, areLines: form.areLines, adding: form.added ? ["data"] : [])
        let paths = (form.added ? ["data"] : []) + (form.head ? ["src", "../x"] : [])
        #expect(submission.sent == SentFiles(entry: 5, paths: paths))
        #expect(submission.entries[5].name == "sent" && submission.entries.count == 6)
        let sent = Dependency(on: .entry(5), condition: .success)
        #expect(
            submission.entries.map { Array($0.dependencies) } == [
                [sent], [Dependency(on: .entry(0), condition: .success), sent], [], [Dependency(on: .entry(1))], [sent],
                [],
            ]
        )
        let works = submission.entries.map { submission.templates[$0.template].work }
        #expect(works.map(\.directory) == [nil, nil, "/data", nil, nil, nil])
        let own = ["sent/": "./"]
        #expect(works.map(\.picks) == [own, own, [:], [:], ["sent/x": "y"], [:]])
        #expect(works.map(\.workspace) == [.fresh, .fresh, .shared, .shared, .fresh, .shared])
    }

    @Test("A directory in the defaults is that of the commands, none of which gets the files")
    func defaults() {
        let text = #"{ send: ["."], defaults: { cwd: "/data" }, operations: [{ command: "x" }] }"#
        #expect(refusal(text)?.message.contains("No operation gets the files") == true)
    }

    @Test("The first operations are those without a dependency inside the file, whatever is sent")
    func firstOperations() throws {
        var options = options
        options.sendsFiles = true
        options.additions.isHeld = true
        let text =
            #"{ send: ["."], operations: [{ name: "a", command: "x", needs: ["sent"] }, { command: "y", needs: ["a"] }] }"#
        let submission = try GraphFile.submission(from: Array(text.utf8), options: options)
        #expect(submission.entries.map(\.isHeld) == [true, false, false])
    }

    @Test("The name of the files is their own, in any order")
    func names() {
        let operation = #"{ name: "sent", command: "x" }"#
        let text = "{ operations: [\(operation), { command: 'y' }], send: ['.'] }"
        let found = refusal(text)
        #expect(found?.code == .duplicateName && found?.message.contains("rename this operation") == true)
        #expect(found?.line == 1)
        #expect(refusal("{ operations: [\(operation)] }", adding: ["."])?.code == .duplicateName)
        let unknown = refusal("{ operations: [{ command: 'y', needs: ['sent'] }] }")
        #expect(unknown?.code == .unknownDependency && unknown?.message.contains("--send") == true)
    }

    @Test(
        "Paths are texts, at least one",
        arguments: [
            ("send: []", "has no path"), ("send: ['']", "or an empty one"), ("send: 'x'", "expected an array of paths"),
            ("send: [7]", "found a number"),
        ]
    )
    func paths(member: String, words: String) {
        let found = refusal("{ \(member), operations: [{ command: 'x' }] }")
        #expect(found?.message.contains(words) == true, "\(String(describing: found))")
    }

    @Test("Where nobody sends files, the key is refused, at its place")
    func refused() {
        let found = message("{ operations: [{ command: 'x' }],\n send: ['.'] }") ?? ""
        #expect(found.contains("no files can be sent here") && found.contains("graph.json:2:"), "\(found)")
        #expect(linesMessage("{ send: ['.'] }\n{ command: 'x' }")?.contains("no files can be sent here") == true)
    }

    @Test("A plan has the files before all that needs them, and no wait behind a barrier")
    func plan() throws {
        let text = #"{ send: ["."], operations: [{ command: "x", barrier: true }, { command: "y" }] }"#
        let plan = GraphPlan(try read(text))
        #expect(plan.widths == [1, 1, 1] && plan.steps == [1, 2, 0])
    }
}
