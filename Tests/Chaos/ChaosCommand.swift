@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonChaosChecks
import Foundation

/// The command `chaos`.
struct ChaosCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos",
        abstract: "Checks what Baton promises, on real processes that are killed, stopped and cut off while they work.",
        discussion: """
            It starts a coordinator and workers of its own, submits operations that note in a journal when they start and \
            end, does all kinds of harm meanwhile, and compares in the end what happened with what Baton says and what it \
            promises. It ends with 0 if every promise was kept, and with 1 and a sentence for each violation otherwise; then \
            the directory with the journal, the record and the logs is kept.
            """,
        examples: [
            Example("scripts/chaos", "The whole of it: some minutes"),
            Example("scripts/chaos --operations 500 --kills 10", "A first look"),
            Example("scripts/chaos --seed 42", "The same graph and harm as before; the moments still differ"),
        ]
    )

    @Option(help: ArgumentHelp("How often a coordinator or worker is killed.", valueName: "n"))
    var kills = 200

    @Option(help: ArgumentHelp("How many operations are submitted.", valueName: "n"))
    var operations = 20_000

    @Option(help: ArgumentHelp("How many workers there are.", valueName: "n"))
    var workers = 4

    @Option(help: ArgumentHelp("How many operations a worker runs at once.", valueName: "n"))
    var slots = 2

    @Option(help: ArgumentHelp("What everything random comes from; any number unless given.", valueName: "n"))
    var seed: UInt64?

    @Flag(help: "Keep the directory also if every promise was kept.")
    var keep = false

    func validate() throws {
        guard operations > 0, workers > 0, slots > 0, kills >= 0 else {
            throw ValidationError(
                "There are at least one operation, one worker and one slot, and no fewer than 0 kills."
            )
        }
        guard workers <= 64, slots <= 256 else {
            throw ValidationError("All of it runs on this host: give at most 64 workers of at most 256 slots.")
        }
    }

    func run() async throws {
        let seed = seed ?? UInt64.random(in: 1...999_999)
        let directory = FileManager.default.temporaryDirectory.appending(path: "baton-chaos-\(seed)-\(getpid())").path
        let run = try ChaosRun(
            ChaosRun.Settings(
                kills: kills,
                operations: operations,
                workers: workers,
                slots: slots,
                seed: seed,
                directory: directory,
                program: Self.program
            )
        )
        print("seed \(seed): \(operations) operations on \(workers) workers of \(slots) slots, \(kills) kills")
        let result = try await run.carryOut()
        let violations = result.evidence.violations()
        print(result.table(violations: violations))
        if violations.isEmpty, !keep {
            try FileManager.default.removeItem(atPath: directory)
        } else {
            print("journal, record and logs: \(directory)")
        }
        if !violations.isEmpty { throw PromisesViolated() }
    }

    /// The program under test, built into the same directory.
    private static var program: String {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(filePath: own).deletingLastPathComponent().appending(path: "baton").path
    }
}

/// A broken promise, after a complete report.
struct PromisesViolated: Error {
    var status: Int32 { 1 }
}

/// The reason why the tool cannot do its work.
struct ChaosFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Writes a line to standard error.
func printError(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
}
