@_spi(Baton) import BatonOperations

/// What a process shows up to its end.
enum RunSubject: Sendable {
    /// A job with a number of operations.
    case job(JobNumber, operations: UInt32)
    /// The only operation of a job, which stands for the job.
    case only(JobNumber)
    /// An operation that was added to an open job, which goes on after it.
    case added(OperationID)

    /// What a wait and a cancellation name.
    var address: Address {
        switch self {
        case .job(let job, _), .only(let job): .job(job)
        case .added(let operation): .operation(operation)
        }
    }

    /// The operation whose output is printed; nil for the progress of a job.
    var operation: OperationID? {
        switch self {
        case .job: nil
        case .only(let job): OperationID(job: job, index: 0)
        case .added(let operation): operation
        }
    }

    /// The words in the middle of a sentence: `job 12` or `operation 12/7`.
    var text: String {
        switch self {
        case .job(let job, _), .only(let job): "job \(job)"
        case .added(let operation): "operation \(operation)"
        }
    }

    /// The words at the beginning of a sentence: `Job 12` or `Operation 12/7`.
    var capitalizedText: String { text.prefix(1).uppercased() + text.dropFirst() }
}
