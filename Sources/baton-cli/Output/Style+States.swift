@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations

extension Style.Tone {
    /// The colour of a state.
    static func of(_ state: OperationState, isSuccess: Bool) -> Style.Tone? {
        switch state {
        case .pending, .ready: nil
        case .executing: isSuccess ? .active : .bad
        case .finished: isSuccess ? .good : .bad
        }
    }

    /// The colour of a job's outcome, or of an unfinished job's state.
    static func of(_ state: OperationState, _ outcome: Outcome?, _ counts: JobCounts) -> Style.Tone? {
        outcome.flatMap { of(state, $0) } ?? of(state, isSuccess: counts.isAllSuccess)
    }

    /// The colour of an operation's state and outcome.
    static func of(_ state: OperationState, _ outcome: Outcome?) -> Style.Tone? {
        switch outcome {
        case .succeeded: .good
        case .failed: .bad
        case .cancelled, .skipped: .warning
        case nil: of(state, isSuccess: true)
        }
    }
}
