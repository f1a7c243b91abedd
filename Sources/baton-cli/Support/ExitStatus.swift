import BatonOperations

/// The exit statuses, after sysexits(3).
enum ExitStatus {
    static let success: Int32 = 0
    /// An operation failed, was cancelled, or was skipped because of one that did.
    static let operationFailed: Int32 = 1
    static let usage: Int32 = 64
    /// Input that was refused: a cycle, a bad graph, an unknown dependency, a damaged record.
    static let refusedInput: Int32 = 65
    /// No such file, job, operation, queue or worker.
    static let notFound: Int32 = 66
    /// The coordinator cannot be reached.
    static let unreachable: Int32 = 69
    /// A fault of Baton's own.
    static let fault: Int32 = 70
    static let notAllowed: Int32 = 77
    /// The time that `wait` was given ran out, or that of the operation that `run` ran.
    static let timedOut: Int32 = 124
    /// `run` could not run it, or it was skipped or lost.
    static let notRun: Int32 = 125
    /// A cancellation ended what `run` ran, as SIGTERM would have.
    static let cancelled: Int32 = 143

    /// As shells show the end by a signal.
    static func signal(_ number: Int32) -> Int32 { 128 + number }

    static func of(_ code: Refusal.Code) -> Int32 {
        switch code {
        case .cycle, .unknownDependency, .duplicateName, .invalid, .deadlock, .damaged: refusedInput
        case .notFound, .unavailable: notFound
        case .incompatible, .unanswered: unreachable
        case .storage, .fault: fault
        }
    }
}
