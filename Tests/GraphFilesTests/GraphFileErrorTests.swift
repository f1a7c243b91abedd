@_spi(Baton) import BatonGraphFiles
@_spi(Baton) import BatonOperations
import Testing

@Suite("Errors in graph files")
struct GraphFileErrorTests {
    /// The contents of `operations` in a graph file of one line.
    private static let operationErrors: [(String, String)] = [
        (#"{command: "x", aftr: "y"}"#, #"30: unknown key "aftr"; did you mean "after"?"#),
        (#"{command: "x", "on-failure": "y"}"#, #"30: unknown key "on-failure"; did you mean "onFailure"?"#),
        (
            #"{command: "x", all: true}"#,
            #"30: "all" is about "onFailure", which the operation does not have; leave one out or give both"#
        ),
        (#"{command: "x", all: 1}"#, "35: expected true or false, found a number"),
        (#"{command: "x", restart: "Never"}"#, #"39: unknown restart "Never"; did you mean "never"?"#),
        (#"{command: "x", restart: "sometimes"}"#, #"39: unknown restart "sometimes"; give onLoss or never"#),
        (#"{command: "x", barier: true}"#, #"30: unknown key "barier"; did you mean "barrier"?"#),
        (#"{command: "x", "on-finish": "y"}"#, #"30: unknown key "on-finish"; did you mean "onFinish"?"#),
        (#"{command: "x", canceled: true}"#, #"30: unknown key "canceled"; did you mean "cancelled"?"#),
        (#"{command: "x", hold: "yes"}"#, "36: expected true or false, found a string"),
        (#"{command: "x", barrier: 1}"#, "39: expected true or false, found a number"),
        (#"{command: "x", cancelled: null}"#, "41: expected true or false, found null"),
        (#"{command: "x", onFinish: ""}"#, "40: the command is empty"),
        (#"{command: "x", onFinish: []}"#, "40: the command is empty; give a program and its arguments"),
        (#"{command: "x", onFinish: [["y"]]}"#, "41: expected a string, found an array"),
        (
            #"{command: "x", onFinish: true}"#,
            "40: expected a command: an array of strings, or a string for the shell, found true"
        ),
        (
            #"{command: "x", barrier: true, array: "1-3"}"#,
            "45: an array cannot be a barrier; make a single operation the barrier, or say barrier: false here"
        ),
        (
            #"{command: "x", eachLine: ["y"], barrier: true}"#,
            "30: an array cannot be a barrier; make a single operation the barrier, or say barrier: false here"
        ),
        (#"{command: "x", retries: "1"}"#, "39: expected a whole number from 0 to 65535, found a string"),
        (#"{command: "x", retries: -1}"#, "39: expected a whole number from 0 to 65535"),
        (#"{command: "x", retries: 1.5}"#, "39: expected a whole number from 0 to 65535"),
        (#"{command: "x", retries: NaN}"#, "39: expected a whole number from 0 to 65535"),
        (
            #"{command: "x", priority: "urgent"}"#,
            #"40: unknown priority "urgent"; give veryLow, low, normal, high, veryHigh or a whole number"#
        ),
        (#"{command: "x", priority: "hihg"}"#, #"40: unknown priority "hihg"; did you mean "high"?"#),
        (
            #"{command: "x", grace: 5}"#,
            #"37: expected a duration such as "250ms", "10s", "5m" or "1h30m", or "forever", found a number; "#
                + "give it a unit, in quotes"
        ),
        (#"{command: "x", priority: 1.5}"#, "40: a priority must be a whole number"),
        (#"{command: "x", priority: NaN}"#, "40: a priority must be a whole number"),
        (
            #"{command: "x", qos: "fast"}"#,
            #"35: unknown quality of service "fast"; give background, utility, default, userInitiated or userInteractive"#
        ),
        (
            #"{command: "x", timeout: "10 minutes"}"#,
            #"39: expected a duration such as "250ms", "10s", "5m" or "1h30m", with a unit behind each number, at most "10000d", found "10 minutes""#
        ),
        (
            #"{command: "x", timeout: 5}"#,
            #"39: expected a duration such as "250ms", "10s", "5m" or "1h30m", found a number; give it a unit, in quotes"#
        ),
        (
            #"{command: "x", delay: "5"}"#,
            #"37: expected a duration such as "250ms", "10s", "5m" or "1h30m", with a unit behind each number, at most "10000d", found "5""#
        ),
        (#"{command: "x", timeout: "0s"}"#, "39: a timeout has to be above zero; leave it out for no bound"),
        (#"{command: ["sleep", 5]}"#, "35: expected a string, found a number; put it in quotes"),
        (
            #"{command: {}}"#,
            "25: expected a command: an array of strings, or a string for the shell, found an object"
        ),
        ("{command: []}", "25: the command is empty; give a program and its arguments"),
        (#"{command: [""]}"#, "25: the command is empty; give a program and its arguments"),
        (#"{command: ""}"#, "25: the command is empty"),
        (#"{command: "a\0b"}"#, "25: the string has a NUL in it, which no program can be given"),
        ("{commands: []}", #"26: "commands" is empty; give at least one command"#),
        (#"{command: "x", kind: "noop"}"#, #"30: give one of "command" and "kind", not both"#),
        (#"{command: "x", type: "resize"}"#, #"30: give one of "command" and "type", not both"#),
        (#"{type: "1a"}"#, #"22: the type's name "1a" is not allowed: \#(Name.rule)"#),
        (
            #"{command: "x", argument: 5}"#,
            #"30: "argument" is for operations with a "type"; give one, or no argument"#
        ),
        (#"{type: "resize", argument: [1, NaN]}"#, "46: NaN is a number that JSON does not have"),
        (
            #"{type: "resize", array: "1-3"}"#,
            "32: the elements of an array would all get the same argument; give an operation for each argument"
        ),
        (#"{kind: "command"}"#, #"22: unknown kind "command"; give noop"#),
        (
            #"{name: "a"}"#,
            #"15: the operation "a" has no "command"; give one, a "type", or kind: "noop" for one that does nothing"#
        ),
        (
            #"{name: "1a", command: "x"}"#,
            #"22: the operation's name "1a" is not allowed: \#(Name.rule)"#
        ),
        (
            #"{name: "a\u202eb", command: "x"}"#,
            "22: the operation's name \"a\u{FFFD}b\" is not allowed: it has the character U+202E in it, which is not seen where "
                + "it stands; leave that out"
        ),
        (#"{command: "x", queue: "a b"}"#, #"37: the queue's name "a b" is not allowed: \#(Name.rule)"#),
        (#"{command: "x", env: {"A=B": "1"}}"#, #"36: "A=B" is not a name for an environment variable"#),
        (
            #"{command: "x", env: {"export A": "1"}}"#,
            #"36: "export A" has white space in it and is not a name for an environment variable"#
        ),
        (
            #"{command: "x", env: {"A\u200B": "1"}}"#,
            "36: \"A\u{FFFD}\" has the character U+200B in it and is not a name for an environment variable"
        ),
        (#"{command: "x", env: {A: 1}}"#, "39: expected a string in quotes, found a number"),
        (#"{command: "x", cwd: ""}"#, "35: the path is empty"),
        (
            #"{command: "x", array: 5}"#,
            #"37: expected a range in a string, such as "1-1000" or "1-1000:2", found a number"#
        ),
        (#"{command: "x", eachLine: []}"#, #"40: "eachLine" is empty, so there is nothing to run"#),
        (#"{command: "x", eachLine: "none"}"#, "40: No file is at none."),
        (#"{command: "x", array: "1-2", eachLine: []}"#, #"54: "eachLine" is empty, so there is nothing to run"#),
        (
            #"{command: "x", needs: 12}"#,
            #"37: 12 is ambiguous: give the name of an operation in this file, or "12/*" for all operations of the earlier job 12"#
        ),
        (
            #"{command: "x", onFailure: ["12/3", "12"]}"#,
            #"50: 12 is ambiguous: give the name of an operation in this file, or "12/*" for all operations of the earlier job 12"#
        ),
        (
            #"{command: "x", after: {}}"#,
            "37: expected a name or an address in quotes, or an array of them, found an object"
        ),
        (
            #"{command: "x", needs: "12/"}"#,
            #"37: "12/" is neither a name of this file nor an address like 12/sepia, 12/3 or 12/*"#
        ),
        (
            #"{name: "abcd", command: "x"}, {kind: "noop", needs: "abce"}"#,
            #"67: no operation has the name "abce"; did you mean "abcd"?"#
        ),
        (#"{name: "abcd", command: "x"}, {kind: "noop", needs: "xyz"}"#, #"67: no operation has the name "xyz""#),
        ("5", "15: expected an operation: an object, found a number"),
    ]

    @Test("An error in an operation is reported with its place and its cause", arguments: operationErrors)
    func operations(operation: String, expected: String) {
        #expect(message("{operations: [\(operation)]}") == "graph.json:1:" + expected)
    }

    @Test(
        "An error outside the operations is reported with its place and its cause",
        arguments: [
            ("", #"1:1: the file is empty; a graph file is an object with "operations""#),
            ("// nothing\n", #"1:1: the file is empty; a graph file is an object with "operations""#),
            ("[]", #"1:1: expected an object with "operations", found an array"#),
            ("{}", #"1:1: the graph has no "operations""#),
            ("{operations: {}}", "1:14: expected an array of operations, found an object"),
            ("{operations: []}", #"1:14: "operations" is empty, so there is nothing to run"#),
            ("{\n  oprations: []}", #"2:3: unknown key "oprations"; did you mean "operations"?"#),
            ("{queues: {a: {maxConcurent: 1}}}", #"1:15: unknown key "maxConcurent"; did you mean "maxConcurrent"?"#),
            ("{queues: {a: {maxConcurrent: -2}}}", "1:30: expected a whole number from 0, or -1 for no limit"),
            ("{queues: {a: {total: -1}}}", "1:22: expected a whole number from 1, or 0 for no progress"),
            (
                "{queues: {a: {rate: '10'}}}",
                "1:21: expected a rate such as 10/s, 30/m or 100/h, with a whole number from 1 to 1000000, or \"none\", in quotes"
            ),
            ("{queues: {'a/b': {}}}", #"1:11: the queue's name "a/b" is not allowed: \#(Name.rule)"#),
            ("{defaults: {name: 'x'}}", #"1:13: "name" is not allowed here"#),
            ("{defaults: {cancelled: true}}", #"1:13: "cancelled" is not allowed here"#),
            (
                "{defaults: {barrier: true}, operations: [{kind: 'noop', array: '1-2'}]}",
                "1:57: an array cannot be a barrier; make a single operation the barrier, or say barrier: false here"
            ),
            ("{defaults: {timeot: 1}}", #"1:13: unknown key "timeot"; did you mean "timeout"?"#),
            ("{key: '', operations: []}", "1:7: the key is empty or has more than 200 bytes"),
        ]
    )
    func whole(text: String, expected: String) {
        #expect(message(text) == "graph.json:" + expected)
    }

    @Test(
        "Broken JSON is reported with its line, its column and its cause",
        arguments: [
            ("{\n  name: \"a\"\n  queue: 1\n}", #"3:3: expected "," or "}", found "q""#),
            ("{name: 'a", "1:8: the string is not closed before the end of the file"),
            ("{name: 'a\n'}", "1:8: the string is not closed before the end of its line"),
            (
                "{a: [1, 2",
                #"1:10: expected "," or "]", found the end of the file; the array that starts at 1:5 is not closed"#
            ),
            (
                "{\n a: {b: 1}",
                #"2:11: expected "," or "}", found the end of the file; the object that starts at 1:1 is not closed"#
            ),
            ("{retry-delay: 1}", #"1:7: expected ":" after the key, found "-""#),
            ("{a: yes}", #"1:5: yes is no value; put strings in quotes: "yes""#),
            ("{a: 010}", "1:5: 010 is not a number; put strings in quotes"),
            ("{a: 10m}", "1:5: 10m is not a number; put strings in quotes"),
            ("{a: -}", "1:5: - is not a number; put strings in quotes"),
            ("{a: 1e}", "1:5: 1e is not a number; put strings in quotes"),
            ("{a: 0x}", "1:5: 0x is not a number; put strings in quotes"),
            ("{a: }", #"1:5: expected a value, found "}""#),
            ("{a: 1,, b: 2}", #"1:7: expected a key or "}", found ",""#),
            ("{a: 1} {b: 2}", #"1:8: expected the end of the file, found "{""#),
            ("/* open", "1:1: the comment is not closed"),
            (#"{a: "\u12"}"#, #"1:6: \x takes two hexadecimal digits and \u takes four"#),
            (#"{a: "\ud800"}"#, "1:6: the escape is half of a pair, and the other half is missing"),
            (#"{a: "\1"}"#, "1:6: an escape may not be a digit; double the backslash"),
            ("{a: 1,\n 'a': 2}", #"2:2: the key "a" stands here twice, first on line 1"#),
            ("{é: 1,\n '\\u00e9': 2}", #"2:2: the key "\u00e9" stands here twice, first on line 1"#),
            ("{a: \u{1}}", "1:5: expected a value, found a byte that is no text"),
            (String(repeating: "[", count: 100), "1:65: values are nested more than 64 deep"),
        ]
    )
    func syntax(text: String, expected: String) {
        #expect(message(text) == "graph.json:" + expected)
    }

    @Test("A string that is not UTF-8 is refused with its place")
    func invalidUTF8() {
        let text = Array("{operations: [{command: ['a', '".utf8) + [0xC3, 0x28] + Array("']}]}".utf8)
        #expect(
            throws: GraphFileError(file: "graph.json", line: 1, column: 31, message: "the text is not valid UTF-8")
        ) {
            try GraphFile.submission(from: text, options: options)
        }
    }

    @Test("A repeated key is found in a large object too")
    func manyKeys() {
        let variables = (0..<100).map { "V\($0): ''" }.joined(separator: ",\n")
        #expect(
            message("{defaults: {env: {\(variables),\nV50: ''}}, operations: []}")
                == #"graph.json:101:1: the key "V50" stands here twice, first on line 51"#
        )
    }

    @Test("A name that is given twice is refused with the lines of both")
    func duplicateName() throws {
        let error = try #require(throws: GraphFileError.self) {
            try read("{operations: [\n{name: 'a', kind: 'noop'},\n\n{name: 'a', kind: 'noop'}]}")
        }
        #expect(
            error.description
                == #"graph.json:4:8: the name "a" is taken by the operation on line 2; rename one of them"#
        )
        #expect(error.refusal == Refusal(.duplicateName, error.description))
    }

    @Test("DE16 A dependency cycle is refused with its path and the place of one of its operations")
    func cycle() throws {
        let error = try #require(throws: GraphFileError.self) {
            try read(
                """
                {operations: [
                  {name: "z", kind: "noop", needs: "a"},
                  {name: "a", kind: "noop", after: ["b"]},
                  {name: "b", kind: "noop", needs: ["c", "d"]},
                  {name: "c", kind: "noop", onFailure: "a"},
                  {name: "d", kind: "noop"},
                ]}
                """
            )
        }
        #expect(error.code == .cycle)
        #expect(error.path == ["a", "b", "c", "a"])
        #expect(error.refusal.path == ["a", "b", "c", "a"])
        #expect(
            error.description
                == "graph.json:3:10: the dependencies form a cycle, in which each waits for the next: a -> b -> c -> a; "
                + "remove one of them"
        )
    }

    @Test("DE16 A dependency cycle through a barrier is refused with its path, also without any names")
    func cycleThroughBarrier() throws {
        let error = try #require(throws: GraphFileError.self) {
            try read(
                """
                {operations: [
                  {name: "a", kind: "noop", after: "b"},
                  {kind: "noop", barrier: true},
                  {name: "b", kind: "noop"},
                ]}
                """
            )
        }
        #expect(error.code == .cycle)
        #expect(error.path == ["a", "b", "#1", "a"])
        #expect(
            error.description
                == "graph.json:2:10: the dependencies and barriers form a cycle, in which each waits for the next: "
                + "a -> b -> #1 -> a; remove one of them"
        )
        let unnamed = try #require(throws: GraphFileError.self) {
            try read(
                """
                {operations: [
                  {kind: "noop"},
                  {kind: "noop", barrier: true, queue: "q", after: "c"},
                  {name: "c", kind: "noop", queue: "q"},
                ]}
                """
            )
        }
        #expect(unnamed.path == ["#1", "c", "#1"])
        #expect(unnamed.line == 3 && unnamed.column == 3)
    }

    @Test("DE18 An operation that depends on itself is refused, whether its name stands before or after the dependency")
    func itself() throws {
        for text in ["{name: 'a', kind: 'noop', needs: 'a'}", "{needs: 'a', kind: 'noop', name: 'a'}"] {
            let error = try #require(throws: GraphFileError.self) { try read("{operations: [\(text)]}") }
            #expect(error.code == .cycle)
            #expect(error.path == ["a", "a"])
            #expect(error.message == #"the operation "a" depends on itself: a -> a; remove this dependency"#)
        }
    }
}
