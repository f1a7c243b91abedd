@_spi(Baton) import BatonOperations

/// What has happened to each operation of a run, by what the workers know.
///
/// Owns a count of starts and a count of acknowledged ends for each operation.
struct RunLedger {
    /// The number of operations of each job but the last.
    private let operationsOfJob: Int
    private var starts: [UInt8]
    private var ends: [UInt8]
    /// How many starts there were.
    private(set) var started = 0
    /// How many ends were acknowledged.
    private(set) var ended = 0
    /// How many starts were not the first of their operation.
    private(set) var startedAgain = 0
    /// How many acknowledged ends were not the first of their operation.
    private(set) var endedAgain = 0
    /// How many starts and ends were of operations that nobody has submitted.
    private(set) var unknown = 0

    /// Begins with nothing started, and with the memory for all.
    init(_ plan: CapacityPlan) {
        operationsOfJob = plan.operationsOfJob
        starts = Array(repeating: 0, count: plan.operations)
        ends = Array(repeating: 0, count: plan.operations)
    }

    /// Notes that a worker has started an operation.
    mutating func start(_ operation: OperationID) {
        guard let place = place(of: operation) else { return unknown += 1 }
        started += 1
        if starts[place] > 0 { startedAgain += 1 }
        if starts[place] < .max { starts[place] += 1 }
    }

    /// Notes that the coordinator has acknowledged an end.
    mutating func end(_ operation: OperationID) {
        guard let place = place(of: operation) else { return unknown += 1 }
        ended += 1
        if ends[place] > 0 { endedAgain += 1 }
        if ends[place] < .max { ends[place] += 1 }
    }

    /// How many operations have no acknowledged end.
    var unended: Int { ends.count { $0 == 0 } }

    /// The jobs have the numbers from 1, in the order of their submission.
    private func place(of operation: OperationID) -> Int? {
        let (job, index) = (Int(operation.job.rawValue), Int(operation.index))
        guard job > 0, index < operationsOfJob else { return nil }
        let place = (job - 1) * operationsOfJob + index
        return place < starts.count ? place : nil
    }
}
