import Operations

/// The one place that says what may happen to an operation: every state with every event has an answer.
enum Lifecycle {
    /// Something that happens to an operation.
    enum Event: CaseIterable {
        /// The last thing that it waited for has come.
        case conditionsMet
        /// One of its conditions can no longer hold (DE9).
        case conditionImpossible
        /// A worker was chosen for it.
        case dispatched
        /// Its attempt ended without an error.
        case attemptSucceeded
        /// Its attempt failed, and its retries allow another one.
        case attemptFailedWithRetriesLeft
        /// Its attempt failed, and there is none left.
        case attemptFailed
        /// Its attempt was lost with its worker, or the worker gave it back.
        case attemptLost
        /// The same, more often than is allowed.
        case attemptLostTooOften
        /// Somebody asked for its end.
        case cancellationRequested
    }

    /// What has to be done about it.
    enum Action: Equatable {
        /// Nothing: it makes no difference in this state.
        case ignore
        /// It becomes ready.
        case makeReady
        /// It starts to execute.
        case start
        /// It waits for its next attempt.
        case awaitRetry
        /// It is ready again.
        case returnToReady
        /// The flag is set and its worker is asked to end it (CA4).
        case askWorkerToEnd
        /// It is finished.
        case finish(Outcome)
    }

    /// What an event means for an operation in a state.
    ///
    /// - Parameters:
    ///   - state: where the operation is in its life.
    ///   - isCancelled: whether its cancellation was asked for before; only an executing one can have been and still live.
    ///   - event: what happens.
    static func action(in state: OperationState, isCancelled: Bool, on event: Event) -> Action {
        switch (state, event) {
        case (.pending, .conditionsMet): .makeReady
        case (.pending, .conditionImpossible), (.ready, .conditionImpossible): .finish(.skipped)
        case (.pending, .cancellationRequested), (.ready, .cancellationRequested): .finish(.cancelled)
        case (.pending, _): .ignore

        case (.ready, .dispatched): .start
        case (.ready, _): .ignore

        case (.executing, .attemptSucceeded): .finish(.succeeded)
        case (.executing, .attemptFailedWithRetriesLeft): isCancelled ? .finish(.cancelled) : .awaitRetry
        case (.executing, .attemptFailed): isCancelled ? .finish(.cancelled) : .finish(.failed)
        case (.executing, .attemptLost): isCancelled ? .finish(.cancelled) : .returnToReady
        case (.executing, .attemptLostTooOften): isCancelled ? .finish(.cancelled) : .finish(.failed)
        case (.executing, .cancellationRequested): isCancelled ? .ignore : .askWorkerToEnd
        case (.executing, .conditionsMet), (.executing, .conditionImpossible), (.executing, .dispatched): .ignore

        case (.finished, _): .ignore
        }
    }
}
