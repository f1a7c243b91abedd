@_spi(Baton) import BatonGraphFiles
@_spi(Baton) import BatonOperations
import Testing

@Suite("Graphs with one operation a line")
struct GraphLinesReaderTests {
    static let text = """
        {"name": "job", "queue": "images", "queues": {"images": {"maxConcurrent": 2}}, "defaults": {"retries": 2}, "key": "k"}

        // a comment
        {"name": "a", "command": ["x", "é"], "needs": "b"}
        {"name": "b", "command": ["x", "é"]}\r
        {"command": ["y"], "after": ["a", "b"]}
        """

    @Test("A file that arrives in pieces of any size gives the same submission", arguments: [1, 2, 7, 64, 4096])
    func pieces(size: Int) throws {
        let submission = try readLines(Self.text, pieces: size)
        #expect(submission.name == "job")
        #expect(submission.key == "k")
        #expect(submission.queueNames == ["images"])
        #expect(submission.queueChanges == [QueueChange(name: "images", maxConcurrent: .atMost(2))])
        #expect(submission.entries.map(\.name) == ["a", "b", nil])
        #expect(submission.entries.map(\.template) == [0, 0, 1])
        #expect(submission.entries[0].dependencies == [Dependency(on: .entry(1), condition: .success)])
        #expect(submission.entries[2].dependencies == [Dependency(on: .entry(0)), Dependency(on: .entry(1))])
        #expect(submission.templates.map(\.retries) == [2, 2])
    }

    @Test("The first line may be an operation with a name and a queue instead of a header")
    func noHeader() throws {
        let submission = try readLines("{name: 'a', queue: 'q', command: 'x'}\n")
        #expect(submission.entries.map(\.name) == ["a"])
        #expect(submission.name == nil)
    }

    @Test("The first line may be an operation with a hold instead of a header")
    func lateKeyFirst() throws {
        let submission = try readLines("{name: 'a', hold: true, kind: 'noop'}\n{kind: 'noop', cancelled: true}\n")
        #expect(submission.entries.map(\.isHeld) == [true, false])
        #expect(submission.entries.map(\.isCancelled) == [false, true])
    }

    @Test(
        "Each error of a file with one operation a line is reported with its line and its cause",
        arguments: [
            ("", "1:1: the file has no operations, so there is nothing to run"),
            ("{name: 'job'}\n", "1:1: the file has no operations, so there is nothing to run"),
            ("{command: 'x'}\n\n  {command: 'x', aftr: 1}", #"3:18: unknown key "aftr"; did you mean "after"?"#),
            ("{command: 'x'}\n{command: \n'x'}", "2:11: expected a value, found the end of the line"),
            (
                "{command: 'x'}\n{command: ['x'\n",
                #"2:15: expected "," or "]", found the end of the line; the array that starts at column 11 is not closed"#
            ),
            ("{command: 'x'} {command: 'x'}", #"1:16: expected the end of the line, found "{""#),
            (
                "{name: 'a', kind: 'noop'}\n{name: 'job'}",
                #"2:1: the operation "job" has no "command"; give one, a "type", or kind: "noop" for one that does nothing"#
            ),
            (
                "{kind: 'noop'}\n{kind: 'noop', name: 'a', name: 'b'}",
                #"2:27: the key "name" stands here twice, first at column 16"#
            ),
            (
                "\n{name: 'a', kind: 'noop'}\n{name: 'a', kind: 'noop'}",
                #"3:8: the name "a" is taken by the operation on line 2; rename one of them"#
            ),
            (
                "{name: 'ab', kind: 'noop'}\n{kind: 'noop', needs: 'abc'}\n{kind: 'noop'}",
                #"2:23: no operation has the name "abc"; did you mean "ab"?"#
            ),
            (
                "{name: 'a', kind: 'noop', needs: 'b'}\n{name: 'b', kind: 'noop', needs: 'a'}",
                "1:8: the dependencies form a cycle, in which each waits for the next: a -> b -> a; remove one of them"
            ),
            (
                "{name: 'x', operations: []}",
                #"1:13: a file with one operation a line has no "operations"; put each of them on a line"#
            ),
            ("{queues: {}, needs: 1}", #"1:14: unknown key "needs""#),
        ]
    )
    func errors(text: String, expected: String) {
        for size in [1, 5, 4096] { #expect(linesMessage(text, pieces: size) == "graph.json:" + expected) }
    }
}
