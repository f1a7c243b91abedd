@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Foundation
import Testing

@_spi(Baton) @testable import baton_cli

extension EndToEndTests {
    @Suite("Options of the table")
    struct OptionTests {
        /// A command that prints the niceness of its shell: field 19 of its status.
        private static let niceness = "cut -d ' ' -f 19 /proc/self/stat"

        /// The niceness of a command, as it printed.
        private func niceness(of operation: String, in cluster: TestCluster) async throws -> Int {
            let output = try await cluster.baton("log", operation).output
            return try #require(Int(output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(output)")
        }

        @Test("--nice makes the command nicer than its class does, up to 19, also in a retry")
        func nice() async throws {
            try await withCluster { cluster in
                let plain = try await cluster.submit("--", "sh", "-c", Self.niceness)
                let job = try await cluster.submit("--nice", "3", "--", "sh", "-c", Self.niceness)
                let graph = try await cluster.submit(
                    graph: """
                        { defaults: { nice: 2 }, operations: [
                          { command: "\(Self.niceness)", qos: "utility" }, { command: "\(Self.niceness); exit 3", nice: 19 },
                          { command: "\(Self.niceness)", nice: 0 }, { kind: "noop" },
                        ] }
                        """
                )
                for job in [plain, job, graph] { _ = try await cluster.wait(job) }
                let own = try await niceness(of: "\(plain)/0", in: cluster)
                #expect(try await niceness(of: "\(job)/0", in: cluster) == min(own + 3, 19))
                #expect(try await niceness(of: "\(graph)/0", in: cluster) == min(max(own, 5) + 2, 19))
                #expect(try await niceness(of: "\(graph)/1", in: cluster) == 19)
                #expect(try await niceness(of: "\(graph)/2", in: cluster) == own)
                let retried = try await cluster.baton("retry", "\(graph)")
                let retry = retried.output.trimmingCharacters(in: .whitespacesAndNewlines)
                _ = try await cluster.wait(retry)
                #expect(try await niceness(of: "\(retry)/0", in: cluster) == 19)
                let shown = try await cluster.baton("show", "\(job)/0")
                #expect(shown.output.contains("nice") && shown.output.contains("cwd"), "\(shown)")
                let json = try await cluster.baton("show", "\(retry)/0", "--json").output
                #expect(json.contains("\"nice\":19"), "\(json)")
            }
        }

        @Test("--nice is refused where it makes no sense")
        func refused() async throws {
            try await withCluster { cluster in
                for value in ["20", "-1", "much"] {
                    let refused = try await cluster.baton("submit", "--nice=\(value)", "--", "true")
                    #expect(refused.status == 64)
                    #expect(refused.errors.contains("Please provide a whole number from 0 to 19."), "\(refused)")
                }
                for (text, sentence) in [
                    (
                        "{operations: [{type: 'x', nice: 3}]}",
                        "niceness is for commands; an operation of type x runs in the process"
                    ),
                    ("{operations: [{command: 'x', nice: 20}]}", "expected a whole number from 0 to 19"),
                    ("{operations: [{command: 'x', nise: 2}]}", "did you mean \"nice\"?"),
                ] {
                    try cluster.write(text, to: "graph.json")
                    let refused = try await cluster.baton("submit", "--file", "graph.json")
                    #expect(refused.status == 65 && refused.errors.contains(sentence), "\(refused)")
                }
            }
        }
    }
}

@Suite("Options of the table on the command line")
struct OptionArgumentTests {
    /// The text of a value on the command line.
    private func arguments(for value: OptionValue, of option: OperationOption) -> [String] {
        let name = "--" + option.name
        switch value {
        case .flag: return [name]
        case .texts(let ends) where option.form == .ends || option.form == .statuses:
            return ["\(name)=\(ends.joined(separator: ","))"]
        case .texts(let several) where option.form == .conditions || option.form == .patterns:
            return several.map { "\(name)=\($0)" }
        case .texts(let words): return ["\(name)=\(words.last ?? "")"]
        case .variables(let variables):
            return variables.sorted { $0.key < $1.key }.map { "\(name)=\($0.key)=\($0.value)" }
        case .places(let places): return places.map { "\(name)=\($0.key)=\($0.value)" }
        case .amounts(let amounts): return amounts.map { "\(name)=\($0.key)=\($0.value)" }
        default: return ["\(name)=\(option.form.text(of: value))"]
        }
    }

    @Test("Each option is read, and is in the help", arguments: OperationOption.onCommandLine.map(\.key))
    func reads(key: String) throws {
        let option = try #require(OperationOption.all.first { $0.key == key })
        for sample in option.samples {
            let array = option.key == "maxConcurrent" ? ["--array", "1-3"] : []
            let line = ["submit"] + array + arguments(for: sample, of: option) + ["--", "true"]
            guard case .command(let parsed) = BatonCommand.outcome(of: line), let submit = parsed as? SubmitCommand
            else {
                Issue.record("\(line) was not taken.")
                continue
            }
            let submission = try submit.operation.submission()
            #expect(option.value(in: submission.templates[0], submission.entries[0]) == sample, "\(line)")
            for other in OperationOption.all where other.key != key && other.key != "cwd" && other.key != "umask" {
                #expect(other.value(in: submission.templates[0], submission.entries[0]) == nil)
            }
        }
        guard case .help(let page) = BatonCommand.outcome(of: ["submit", "--help"]) else {
            Issue.record("There is no help.")
            return
        }
        #expect(page.rendered(width: 100).contains("--\(option.name)"))
    }
}
