@_spi(Baton) import BatonGraphFiles
@_spi(Baton) import BatonOperations
import Testing

@Suite("Writing of graph files")
struct GraphFileWriterTests {
    @Test("A written graph file is strict JSON with one operation a line")
    func text() throws {
        let submission = try read(
            """
            {name: 'say "hi"', queue: 'q', queues: {q: {maxConcurrent: -1, qos: 'utility', total: 9, rate: '10/s'}}, operations: [
              {name: 'a', command: ['x', 'tab\\t', '\\x01é'], priority: 8, cwd: '/d', timeout: '90s'},
              {commands: [['x'], ['y']], onFailure: '3/*', needs: 'a', queue: 'r', array: '1-9:2', grace: 'forever',
               env: {B: '2', A: '1'}, delay: '2h', retries: 3, retryDelay: '2s', restart: 'never', qos: 'utility', stdin: '/i', cwd: '/d'},
              {kind: 'noop', eachLine: ['p', 'q'], cwd: '/d', grace: '0s'},
              {kind: 'noop', cwd: '/d', hold: true, barrier: true, cancelled: true, onFinish: 'tell me'},
            ]}
            """
        )
        #expect(
            GraphFileWriter.text(of: submission) == #"""
                {
                  "name": "say \"hi\"",
                  "queue": "q",
                  "queues": {"q": {"maxConcurrent": -1, "qos": "utility", "total": 9, "rate": "10/s"}},
                  "operations": [
                    {"name": "a", "command": ["x", "tab\t", "\u0001é"], "priority": "veryHigh", "timeout": "1m30s", "cwd": "/d"},
                    {"commands": [["x"], ["y"]], "array": "1-9:2", "onFailure": ["3/*"], "needs": ["a"], "queue": "r", "qos": "utility", "retries": 3, "retryDelay": "2s", "restart": "never", "grace": "forever", "delay": "2h", "env": {"A": "1", "B": "2"}, "cwd": "/d", "stdin": "/i"},
                    {"kind": "noop", "eachLine": ["p", "q"], "grace": "0s", "cwd": "/d"},
                    {"kind": "noop", "cancelled": true, "barrier": true, "hold": true, "onFinish": ["/bin/sh", "-c", "tell me"], "cwd": "/d"}
                  ]
                }

                """#
        )
    }

    @Test("A graph with unusual characters is the same after it was written and read again")
    func roundTrip() throws {
        let submission = try read(
            #"""
            {name: 'n', key: 'k', queue: 'q', queues: {q: {maxConcurrent: 0}}, defaults: {timeout: '1500us'}, operations: [
              {name: 'a', command: ['x', '"\\ \u2028 \u007f \ud83d\ude00']},
            ]}
            """#
        )
        #expect(try read(GraphFileWriter.text(of: submission)) == submission)
    }

    @Test("Random graphs are the same after they were written and read again")
    func randomRoundTrips() throws {
        for seed in UInt64(1)...200 {
            var random = SplitMix(seed: seed)
            let submission = try read(randomGraph(using: &random))
            #expect(try read(GraphFileWriter.text(of: submission)) == submission, "seed \(seed)")
        }
    }

    @Test("A written typed operation keeps its argument, and loses an argument that is not JSON")
    func typedOperations() throws {
        let submission = try read(
            "{operations: [{type: 'resize', argument: {path: 'a\\u0000\\n', sizes: [1, 2.50, 1e3]}}]}"
        )
        let text = GraphFileWriter.text(of: submission)
        #expect(text.contains(#"{"type": "resize", "argument": {"path":"a\u0000\n","sizes":[1,2.50,1e3]}"#))
        #expect(try read(text) == submission)
        var other = submission
        other.templates[0].work.kind = .typed(type: "resize", argument: [0xFF])
        #expect(GraphFileWriter.text(of: other).contains(#""type": "resize""#))
        #expect(!GraphFileWriter.text(of: other).contains("argument"))
    }

    @Test("A written operation without a name on which another depends gets a free name")
    func newNames() throws {
        let submission = Submission(
            templates: [Template(work: Work(.noOperation))],
            entries: [
                Entry(), Entry(name: "operation0"), Entry(dependencies: [Dependency(on: .entry(0))]),
            ]
        )
        let again = try read(GraphFileWriter.text(of: submission))
        #expect(again.entries.map(\.name) == ["operation0_", "operation0", nil])
        #expect(again.entries[2].dependencies == [Dependency(on: .entry(0))])
    }

    private func randomGraph(using random: inout SplitMix) -> String {
        let names = (0..<Int.random(in: 1...12, using: &random)).map { "n\($0)" }
        let operations = names.indices.map { index in
            let works = [
                "command: ['x', '\(index % 3)', '\\u0041\\n\\'']", "command: 'shell \(index % 2)'", "kind: 'noop'",
            ]
            var members = ["name: '\(names[index])'", works[Int.random(in: works.indices, using: &random)]]
            for key in ["after", "needs", "onFailure"].shuffled(using: &random) where Bool.random(using: &random) {
                let earlier = names[..<index].filter { _ in Int.random(in: 0..<4, using: &random) == 0 } + ["7/2"]
                members.append("\(key): [\(earlier.map { "'\($0)'" }.joined(separator: ", "))]")
            }
            for member in [
                "queue: 'q\(index % 2)'", "priority: \(index)", "delay: '0.25s'", "timeout: '3d'", "grace: 'forever'",
                "env: {A: 'é', B: ''}", "retries: 9", "cwd: 'here'", "qos: 'utility'", "hold: true", "cancelled: true",
                "onFinish: 'tell \(index % 2)'", ["array: '5-9'", "barrier: true"][index % 2],
            ] where Int.random(in: 0..<3, using: &random) == 0 {
                members.append(member)
            }
            return "{\(members.joined(separator: ", "))}"
        }
        return "{operations: [\(operations.joined(separator: ", "))]}"
    }
}
