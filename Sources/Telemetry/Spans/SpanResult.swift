@_spi(Baton) public import BatonOperations

/// How a job or an attempt ended, in the words of OpenTelemetry's conventions for pipelines.
@_spi(Baton) public enum SpanResult: String, Sendable {
    case success, failure, timeout, skip, cancellation

    /// The word for an outcome; nil stands for a job that had nothing to do.
    public init(_ outcome: Outcome?) {
        self =
            switch outcome {
            case .succeeded, nil: .success
            case .failed: .failure
            case .cancelled: .cancellation
            case .skipped: .skip
            }
    }

    /// The word for the end of an attempt.
    ///
    /// An attempt that was lost has failed, and one that was ended because its worker was stopped was cancelled: no fault counts.
    public init(_ outcome: AttemptOutcome) {
        self =
            switch outcome {
            case .succeeded, .executing: .success
            case .failed, .lost: .failure
            case .cancelled, .stopped: .cancellation
            }
    }

    /// Whether a span with the result has failed.
    var isFailure: Bool { self == .failure || self == .timeout }
}

extension Span {
    /// Notes how the span of an attempt ended.
    mutating func end(
        as result: SpanResult,
        _ reason: Reason.Code?,
        _ status: Int32?,
        _ signal: Int32?,
        worker: String?
    ) {
        attributes.append(SpanAttribute("cicd.pipeline.task.run.result", result.rawValue))
        guard result.isFailure else { return }
        attributes.append(SpanAttribute("error.type", reason?.rawValue ?? "failed"))
        failure = Self.sentence(about: reason, status, signal, worker: worker)
    }

    /// What went wrong, in a sentence.
    ///
    /// The history tells the kind of reason; its own sentence is in `baton show`, and may quote what the operation does.
    private static func sentence(
        about reason: Reason.Code?,
        _ status: Int32?,
        _ signal: Int32?,
        worker: String?
    ) -> String {
        switch reason {
        case .exit: status.map { "It exited with status \($0)." } ?? "It exited with another status than 0."
        case .signal: signal.map { "Signal \($0) ended it." } ?? "A signal ended it."
        case .timeout: "It ran longer than its timeout."
        case .launch: "It could not be started."
        case .result: "Its result could not be used."
        case .files: "Its files could not be kept."
        case .input: "Files that it needs are lost."
        case .error: "It threw an error."
        case .memory: "It used more memory than it asked for."
        case .lost: worker.map { "It was lost with worker \($0)." } ?? "It was lost with its worker."
        case .deadline: "It had not ended by its deadline."
        case .dependency, .notNeeded, .cancelled, .reused, .sent, nil: "It failed."
        }
    }
}
