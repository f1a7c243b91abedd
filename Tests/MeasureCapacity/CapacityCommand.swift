@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonBenchmarks
import BatonCapacity
import Foundation

/// The command `capacity`: measures a coordinator with many workers on a simulated clock.
struct CapacityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capacity",
        abstract: "Measures a coordinator with many workers and operations on a simulated clock.",
        discussion: """
            The decisions, the messages and the SQL are the real ones; network, disk, processes and time are \
            simulated. Prints what the coordinator has used as tables in Markdown. The exit status is 1 if an operation \
            was lost or ran again.
            """,
        examples: [
            Example("capacity", "10,000 workers, 10 million operations and a failover in the middle"),
            Example("capacity --workers 100 --operations 10000", "A run of a moment"),
        ]
    )

    @Option(help: "The number of workers.")
    var workers: Int = 10_000

    @Option(help: "The number of slots of each worker.")
    var slots: Int = 4

    @Option(help: "The number of operations.")
    var operations: Int = 10_000_000

    @Option(help: "The number of operations of a job.")
    var job: Int = 100_000

    @Option(help: "The dependencies in a job: \(Workload.Shape.allCases.map(\.rawValue).joined(separator: ", ")).")
    var shape: String = Workload.Shape.array.rawValue

    @Option(help: "The mean time of an operation in simulated seconds.")
    var seconds: Int = 10

    @Option(help: "Whether the coordinator is lost after half of the operations: yes or no.")
    var failover: String = "yes"

    @Option(help: "The seed of all that is random.")
    var seed: UInt64 = 1

    func validate() throws {
        if !(1...16_384).contains(workers) { throw ValidationError("--workers has to be from 1 to 16384.") }
        if !(1...10_000).contains(slots) { throw ValidationError("--slots has to be from 1 to 10000.") }
        if !(1...1_000_000_000).contains(operations) {
            throw ValidationError("--operations has to be from 1 to 1000000000.")
        }
        if !(1...1_000_000).contains(job) { throw ValidationError("--job has to be from 1 to 1000000.") }
        if !(1...86_400).contains(seconds) { throw ValidationError("--seconds has to be from 1 to 86400.") }
        if Workload.Shape(rawValue: shape) == nil { throw ValidationError("There is no shape named '\(shape)'.") }
        if !["yes", "no"].contains(failover) { throw ValidationError("--failover has to be yes or no.") }
    }

    func run() async throws {
        var plan = CapacityPlan()
        plan.workers = workers
        plan.slots = slots
        plan.operations = operations
        plan.operationsOfJob = job
        plan.shape = Workload.Shape(rawValue: shape) ?? .array
        plan.duration = .seconds(seconds)
        plan.hasFailover = failover == "yes"
        plan.seed = seed
        let isShown = Terminal.isStandardError
        let report = try CapacityRun.measure(plan) { line in
            if isShown { FileHandle.standardError.write(Data("\r\u{1B}[K\(line)".utf8)) }
        }
        if isShown { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
        print(report.markdown, terminator: "")
        let contradictions = report.contradictions
        guard !contradictions.isEmpty else { return }
        for contradiction in contradictions {
            FileHandle.standardError.write(Data("\(contradiction)\n".utf8))
        }
        exit(1)
    }
}
