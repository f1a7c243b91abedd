@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads

/// The exit statuses, after sysexits(3).
enum ExitStatus {
    static let success: Int32 = 0
    /// An operation failed, was cancelled, or was skipped because of a failed or cancelled operation.
    static let operationFailed: Int32 = 1
    static let usage: Int32 = 64
    /// Refused input: a cycle, an invalid graph, an unknown dependency, a damaged record.
    static let refusedInput: Int32 = 65
    /// A missing file, job, operation, queue or worker.
    static let notFound: Int32 = 66
    /// The coordinator cannot be reached.
    static let unreachable: Int32 = 69
    /// An internal fault of Baton, or an obstacle of the host that may pass: see ``SystemObstacle``.
    static let fault: Int32 = 70
    /// Bytes of the output that was asked for are missing.
    static let incomplete: Int32 = 74
    static let notAllowed: Int32 = 77
    /// The time limit of `wait` ran out, or the time limit of the operation in `run`.
    static let timedOut: Int32 = 124
    /// `run` could not run the operation, or the operation was skipped or lost.
    static let notRun: Int32 = 125
    /// A cancellation ended the operation of `run`; the status equals an end by SIGTERM.
    static let cancelled: Int32 = 143

    /// The status for an end by a signal, as in shells.
    static func signal(_ number: Int32) -> Int32 { 128 + number }

    /// The status for a place that cannot be used, by the system's errno.
    static func ofUnwritable(_ code: Int32) -> Int32 { ofUnusable(mayPass: SystemObstacle.mayPass(code)) }

    /// The status for a place that cannot be used.
    ///
    /// A service manager starts a service again after ``fault``, and not after ``notAllowed``: see ``ServiceUnit``.
    static func ofUnusable(mayPass: Bool) -> Int32 { mayPass ? fault : notAllowed }

    static func of(_ code: Refusal.Code) -> Int32 {
        switch code {
        case .cycle, .unknownDependency, .duplicateName, .invalid, .deadlock, .damaged, .keyConflict, .retried,
            .unplaceable, .unsentFiles:
            refusedInput
        case .notFound, .unavailable: notFound
        case .incompatible, .unanswered: unreachable
        case .storage, .fault: fault
        case .notAllowed: notAllowed
        // A refusal of a kind that only a later version knows.
        default: refusedInput
        }
    }
}
