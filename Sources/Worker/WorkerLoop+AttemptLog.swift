@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations

/// The log of what the worker runs, at the level info.
///
/// The lines have no commands, environments or outputs, because secrets may be in them.
extension WorkerLoop {
    /// Logs that an attempt starts.
    func logStart(of assigned: AssignedWork) {
        guard options.logger.level <= .info else { return }
        let assignment = assigned.assignment
        let subject = assignment.isHook ? "hookOf" : "operation"
        let metadata: Logger.Metadata = [subject: "\(assignment.operation)", "attempt": "\(assignment.attempt)"]
        loggedAttempts[assignment.token] = (metadata, .now)
        options.logger.info("started", metadata: metadata)
    }

    /// Logs how an attempt has ended, if its start was logged.
    func logEnd(of token: AttemptToken, _ result: AttemptResult) {
        guard !loggedAttempts.isEmpty, let (start, moment) = loggedAttempts.removeValue(forKey: token) else { return }
        var metadata = start
        metadata["end"] = "\(Self.words(for: result.end))"
        metadata["duration"] = "\((ContinuousClock.now - moment).roughText)"
        options.logger.info("ended", metadata: metadata)
    }

    /// The end of an attempt without texts of the operation.
    private static func words(for end: AttemptEnd) -> String {
        switch end {
        case .exited(let status): "status \(status)"
        case .signalled(let signal): "signal \(signal)"
        case .timedOut: "timeout"
        case .exceededMemory: "memory"
        case .cancelled: "cancelled"
        case .notStarted: "not started"
        case .unusableResult: "unusable result"
        case .threw: "error"
        case .workerFault: "returned because of a fault of the worker"
        case .interrupted, .stopped: "ended by the worker"
        }
    }
}
