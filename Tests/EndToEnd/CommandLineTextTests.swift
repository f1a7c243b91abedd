import Operations
import Testing

@testable import baton_cli

@Suite("Text for people")
struct CommandLineTextTests {
    @Test(
        "Durations show as much as matters",
        arguments: [
            (0, "0ms"), (999_999, "999ms"), (1_000_000, "1.0s"), (59_999_999, "59.9s"), (60_000_000, "1m 00s"),
            (3_599_000_000, "59m 59s"), (3_600_000_000, "1h 00m"), (90_000_000_000, "1d 01h"), (-5, "0ms"),
        ]
    )
    func durations(microseconds: Int64, text: String) {
        #expect(Duration.microseconds(microseconds).roughText == text)
    }

    @Test("A command is shown as it would be typed")
    func commands() {
        #expect(OperationText.commandLine(["echo", "a b", "it's", "", "x={}"]) == #"echo 'a b' 'it'\''s' '' x={}"#)
    }

    @Test("Words and values are aligned, and nothing in a value makes another line")
    func keyValueLines() {
        var lines = KeyValueLines()
        lines.append("name", "a\nstate: b\u{1B}[31m")
        lines.append("state", nil)
        lines.append("worker", "w1")
        #expect(lines.text == "name:   a state: b [31m\nworker: w1")
    }

    @Test("Counts show what there is")
    func counts() {
        var counts = JobCounts()
        counts.executing = 2
        counts.failed = 1
        counts.succeeded = 3
        #expect(counts.brief == "2 executing, 3 succeeded, 1 failed")
        #expect(counts.summary == "1 of 6 did not succeed: 2 executing, 3 succeeded, 1 failed.")
    }

    @Test("A worker's usual name is a name, whatever the host is called", arguments: ["node-1", "3f2a9c", "", "ä.b"])
    func workerName(host: String) {
        let name = WorkerCommand.defaultName(host: host, process: 42)
        #expect(Name.isValid(name))
        #expect(name.contains("42"))
        #expect(name.contains(host) || host.isEmpty)
    }
}
