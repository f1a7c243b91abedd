@_spi(Baton) import BatonGraphFiles
@_spi(Baton) import BatonOperations
import Testing

@Suite("Graph files")
struct GraphFileTests {
    @Test("EL3 With all, each onFailure has to fail, also after the file was written and read again")
    func failureOfAll() throws {
        let submission = try read(
            """
            {operations: [
              {name: 'a', command: 'x'}, {name: 'b', command: 'x'},
              {name: 'both', command: 'x', all: true, needs: '7/*', onFailure: ['a', 'b']},
              {name: 'one', command: 'x', onFailure: ['a', 'b'], all: false},
            ]}
            """
        )
        let conditions = submission.entries.map { $0.dependencies.map(\.condition) }
        #expect(conditions == [[], [], [.success, .failureOfAll, .failureOfAll], [.failure, .failure]])
        #expect(try read(GraphFileWriter.text(of: submission)) == submission)
    }

    @Test("EL1 A dependency names one element of an array by its number, all, or the one at the same position")
    func elements() throws {
        let submission = try read(
            """
            {operations: [
              {name: 'after', command: 'x', needs: ['sim/30', 'sim/*', 'sim']},
              {name: 'post', command: 'x', array: '1-3', needs: ['sim/=', '58/=', '58/sim/=', '58/[3-5]/=']},
              {name: 'sim', command: 'x', array: '10-30:10'},
              {command: 'x', onFailure: 'sim/10'},
            ]}
            """
        )
        let job = JobNumber(58)
        #expect(submission.entries[0].dependencies.map(\.target) == [.element(2, 2), .entry(2), .entry(2)])
        #expect(
            submission.entries[1].dependencies.map(\.target) == [
                .elements(2), .existingElements(.job(job)), .existingElements(.named(job, "sim")),
                .existingElements(.operations(job, 3..<6)),
            ]
        )
        #expect(submission.entries[3].dependencies == [Dependency(on: .element(2, 0), condition: .failure)])
        #expect(try read(GraphFileWriter.text(of: submission)) == submission)
    }

    @Test(
        "EL1 Elements that are not there, and arrays of other lengths, are refused",
        arguments: [
            ("needs: 'sim/4'", "\"sim\" has no element with the number 4; its numbers are 1-3"),
            ("needs: 'one/1'", "\"one\" is a single operation and has no elements; give its name alone"),
            ("needs: 'one/='", "\"one\" is a single operation and has no elements; give its name alone"),
            ("needs: 'sim/='", "is a single operation, and depends on the element at the same position of sim"),
            ("array: '1-4', needs: 'sim/='", "has 4 elements, and depends on the element at the same position of sim"),
            ("needs: 'sim/x'", "\"sim/x\" is neither a name of this file nor an address"),
            ("name: 'a', array: '1-3', needs: 'a/='", "the operation \"a\" depends on itself"),
        ]
    )
    func refusedElements(members: String, message: String) throws {
        let others = "{name: 'sim', command: 'x', array: '1-3'}, {name: 'one', command: 'x'}"
        let error = try #require(throws: GraphFileError.self) {
            try read("{operations: [\(others), {command: 'x', \(members)}]}")
        }
        #expect(error.message.contains(message), "\(error)")
    }

    @Test("BL8 A command that is a text runs under the shell of its operation, of the command line or of the defaults")
    func shells() throws {
        let text = """
            { defaults: { shell: "bash -euo pipefail -c" }, operations: [
              { command: "a | b" }, { command: ["a", "b"] }, { command: "a", shell: ["zsh", "-c"] },
              { shell: null, command: "a" }, { commands: ["a", ["b"]] }, { array: "1-2", command: "a {}" },
              { array: "1-2", command: "a {}", shell: "zsh -c" }, { command: "a", onFinish: "b" },
            ] }
            """
        let bash = ["bash", "-euo", "pipefail", "-c"]
        let submission = try read(text)
        let kinds = submission.entries.map { submission.templates[$0.template].work.kind }
        #expect(
            kinds == [
                .commands([bash + ["a | b"]]), .commands([["a", "b"]]), .commands([["zsh", "-c", "a"]]),
                .commands([["/bin/sh", "-c", "a"]]), .commands([bash + ["a"], ["b"]]),
                .commands([bash + ["a \"${1}\"", "bash", "{}"]]),
                .commands([["zsh", "-c", "a \"${1}\"", "zsh", "{}"]]),
                .commands([bash + ["a"]]),
            ]
        )
        #expect(submission.templates[submission.entries[7].template].onFinish == ["/bin/sh", "-c", "b"])
        var other = options
        other.additions.shell = try CommandShell("dash -e -c")
        let changed = try GraphFile.submission(from: Array(text.utf8), options: other)
        #expect(changed.templates[changed.entries[0].template].work.kind == .commands([["dash", "-e", "-c", "a | b"]]))
        #expect(changed.templates[changed.entries[2].template].work.kind == .commands([["zsh", "-c", "a"]]))
        let error = try #require(throws: GraphFileError.self) {
            try read("{operations: [{command: 'a', shell: 'bash -e'}]}")
        }
        #expect(error.message.contains("Let its last option be -c"), "\(error)")
    }

    @Test("A graph file with all that JSON5 allows reads as the operations that it describes")
    func wholeFile() throws {
        let submission = try read(
            """
            // what it is for
            {
              name: 'thumbnails', key: "k1",
              queue: "images", /* where
              they go */
              queues: { images: { maxConcurrent: 4, qos: "utility" }, free: { maxConcurrent: -1 } },
              defaults: { retries: 1, timeout: "10m", env: { A: "1", B: "2" } },
              operations: [
                { name: "fetch", command: ["curl", "-o", "a.png"], cwd: "pictures" },
                { name: "sepia", command: "convert a.png b.png", needs: ["fetch"], priority: "high" },
                { name: "both", commands: [["step", "1"], "step 2"], after: "fetch", queue: "free" },
                { name: "alert", command: ["mail"], onFailure: ["sepia", "12/3", "12/*", "12/sepia"], timeout: null,
                  env: { B: "3" }, stdin: "/text", retries: 0, grace: "forever", delay: "1.5s", qos: "background", },
                { kind: "noop", after: ["tidy"], priority: +5, },
                { name: "tidy", command: ["rm", "{}"], eachLine: "items.txt", retryDelay: "250ms", grace: "10s" },
                { command: ["x", "{}"], array: "1-9:2" },
              ],
            }
            """
        )
        #expect(submission.name == "thumbnails")
        #expect(submission.key == "k1")
        #expect(submission.queueNames == ["images", "free"])
        #expect(
            submission.queueChanges == [
                QueueChange(name: "images", maxConcurrent: .atMost(4), qualityOfService: .utility),
                QueueChange(name: "free", maxConcurrent: .unlimited),
            ]
        )
        let entries = submission.entries
        #expect(entries.map(\.name) == ["fetch", "sepia", "both", "alert", nil, "tidy", nil])
        #expect(entries.map(\.priority) == [.normal, .high, .normal, .normal, .high, .normal, .normal])
        #expect(entries[1].dependencies == [Dependency(on: .entry(0), condition: .success)])
        #expect(entries[2].dependencies == [Dependency(on: .entry(0), condition: .any)])
        #expect(
            entries[3].dependencies == [
                Dependency(on: .entry(1), condition: .failure),
                Dependency(on: .existing(.operation(OperationID(job: JobNumber(12), index: 3))), condition: .failure),
                Dependency(on: .existing(.job(JobNumber(12))), condition: .failure),
                Dependency(on: .existing(.named(JobNumber(12), "sepia")), condition: .failure),
            ]
        )
        #expect(entries[3].delay == .milliseconds(1500))
        #expect(entries[4].dependencies == [Dependency(on: .entry(5), condition: .any)])
        #expect(entries[5].array == .lines(["one", "two"]))
        #expect(entries[6].array == .numbers(first: 1, step: 2, count: 5))
        #expect(entries.map(\.queue) == [0, 0, 1, 0, 0, 0, 0])

        let templates = entries.map { submission.templates[$0.template] }
        #expect(templates[0].work.kind == .commands([["curl", "-o", "a.png"]]))
        #expect(templates[0].work.directory == "/home/me/pictures")
        #expect(templates[0].work.environment == ["A": "1", "B": "2"])
        #expect(templates[0].work.timeout == .seconds(600))
        #expect(templates[0].retries == 1)
        #expect(templates[1].work.kind == .commands([["/bin/sh", "-c", "convert a.png b.png"]]))
        #expect(templates[1].work.directory == "/home/me")
        #expect(templates[2].work.kind == .commands([["step", "1"], ["/bin/sh", "-c", "step 2"]]))
        #expect(templates[3].work.environment == ["A": "1", "B": "3"])
        #expect(templates[3].work.timeout == nil)
        #expect(templates[3].work.standardInput == "/text")
        #expect(templates[3].work.gracePeriod == .forever)
        #expect(templates[3].qualityOfService == .background)
        #expect(templates[3].retries == 0)
        #expect(templates[4].work.kind == .noOperation)
        #expect(templates[5].work.gracePeriod == .after(.seconds(10)))
        #expect(templates[5].retryDelay == .milliseconds(250))
    }

    @Test(
        "A graph file can hold, cancel or never restart an operation, make it a barrier and give it a hook"
    )
    func lateKeys() throws {
        let submission = try read(
            """
            {queues: {q: {total: 4}, r: {total: 0}}, defaults: {hold: true, onFinish: "notify $BATON_OUTCOME", restart: "never"}, operations: [
              {name: 'held', kind: 'noop'},
              {name: 'barrier', kind: 'noop', barrier: true, hold: false, onFinish: ["mail", "me"]},
              {name: 'cancelled', kind: 'noop', cancelled: true, hold: false, onFinish: null},
              {name: 'plain', kind: 'noop', cancelled: false, hold: false, barrier: false, onFinish: null, restart: 'onLoss'},
            ]}
            """
        )
        let entries = submission.entries
        #expect(entries.map(\.isHeld) == [true, false, false, false])
        #expect(entries.map(\.isBarrier) == [false, true, false, false])
        #expect(entries.map(\.isCancelled) == [false, false, true, false])
        #expect(
            entries.map { submission.templates[$0.template].onFinish } == [
                ["/bin/sh", "-c", "notify $BATON_OUTCOME"], ["mail", "me"], nil, nil,
            ]
        )
        #expect(
            entries.map { submission.templates[$0.template].restart } == [.never, .never, .never, .onLoss]
        )
        #expect(submission.queueChanges == [QueueChange(name: "q", total: 4), QueueChange(name: "r", total: 0)])
    }

    @Test("Operations of equal work and retries share one template, whatever their names, priorities and queues are")
    func interning() throws {
        let submission = try read(
            """
            {operations: [
              {command: ["a"]}, {command: ["b"]}, {command: ["a"]}, {name: "n", command: ["a"], priority: "low"},
              {command: ["a"], retries: 1}, {command: ["a"], queue: "q"}, {command: ["b"], queue: "q"},
            ]}
            """
        )
        #expect(submission.entries.map(\.template) == [0, 1, 0, 0, 2, 0, 1])
        #expect(submission.queueNames == ["default", "q"])
        #expect(submission.entries.map(\.queue) == [0, 0, 0, 0, 0, 1, 1])
    }

    @Test(
        "The escapes of a string have their meaning in JSON5",
        arguments: [
            (#""\u0041\x42\n\t\"\\""#, "AB\n\t\"\\"), (#"'it\'s "x"'"#, "it's \"x\""), (#""\ud83d\ude00é""#, "😀é"),
            ("'a\\\nb\\\r\nc'", "abc"), (#""\q""#, "q"), (#""\v\f\b""#, "\u{0B}\u{0C}\u{08}"),
        ]
    )
    func escapes(literal: String, text: String) throws {
        let submission = try read("{operations: [{command: [\(literal)]}]}")
        #expect(submission.templates[0].work.kind == .commands([[text]]))
    }

    @Test(
        "A number may have any form of JSON5",
        arguments: [
            ("0x10", 16), ("+15", 15), (".5e1", 5), ("5.", 5), ("1e2", 100), ("2500E-2", 25), ("0", 0),
        ]
    )
    func numbers(literal: String, number: UInt16) throws {
        let submission = try read("{operations: [{command: 'x', retries: \(literal)}]}")
        #expect(submission.templates[0].retries == number)
    }

    @Test(
        "PR5 A priority in a graph file moves to the nearest one",
        arguments: [("1e300", Priority.veryHigh), ("-77", .veryLow), ("\"3\"", .normal)]
    )
    func clampedPriority(literal: String, priority: Priority) throws {
        let submission = try read("{operations: [{command: 'x', priority: \(literal)}]}")
        #expect(submission.entries[0].priority == priority)
    }

    @Test("A relative path stays relative if the options give no directory")
    func noDirectory() throws {
        let options = GraphFileOptions(fileName: "-") { _ throws(Refusal) in [] }
        let text = "\u{FEFF}{operations: [{command: 'x', cwd: 'a'}, {command: 'x'}]}"
        let submission = try GraphFile.submission(from: Array(text.utf8), options: options)
        #expect(submission.templates.map(\.work.directory) == ["a", nil])
    }

    @Test("DE19 A chain of 100,000 operations is read from one file, forwards and backwards")
    func longChain() throws {
        let count = 100_000
        for step in [-1, 1] {
            let lines = (0..<count).map { index in
                let other = index + step
                let needs = (0..<count).contains(other) ? ", needs: \"n\(other)\"" : ""
                return "{name: \"n\(index)\", kind: \"noop\"\(needs)}"
            }
            let submission = try read("{operations: [\(lines.joined(separator: ",\n"))]}")
            #expect(submission.entries[500].dependencies == [Dependency(on: .entry(500 + step), condition: .success)])
        }
    }

    @Test(
        "BL4 The argument of a typed operation is any value, which becomes compact JSON",
        arguments: [
            ("", "null"), (", argument: null", "null"), (", argument: true", "true"),
            (", argument: 'é\\'\\x01'", #""é'\u0001""#),
            (", argument: [ ]", "[]"), (", argument: { }", "{}"),
            (", argument: {b: [1, -0, 'x',], /* or */ a: {c: false}}", #"{"b":[1,-0,"x"],"a":{"c":false}}"#),
            (", argument: [12345678901234567890, 1.50, 2E-3]", "[12345678901234567890,1.50,2E-3]"),
            (", argument: [+5, .5, 5., 0xFF, -0x10]", "[5,0.5,5,255,-16]"),
        ]
    )
    func typedOperation(argument: String, expected: String) throws {
        let submission = try read("{operations: [{type: 'resize'\(argument)}]}")
        let kind = Work.Kind.typed(type: "resize", argument: Array(expected.utf8))
        #expect(submission.templates.map(\.work.kind) == [kind])
    }
}
