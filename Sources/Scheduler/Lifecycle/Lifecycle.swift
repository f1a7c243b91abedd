@_spi(Baton) import BatonOperations

/// The state machine of an operation: the only definition of the action for each stage and event.
enum Lifecycle {
    /// The stage of an operation, a finer division than the state.
    enum Stage: CaseIterable {
        /// The operation waits for a condition.
        case pending
        /// The operation could start, and no worker has been given it.
        case ready
        /// The operation could start, and was sent to a worker that has not reported a start.
        case sent
        /// The operation's code may be running.
        case executing
        /// The operation is over.
        case finished
    }

    /// An event in the life of an operation.
    enum Event: CaseIterable {
        /// The last condition of the operation is met.
        case conditionsMet
        /// The operation has got another condition (DE14).
        case conditionAdded
        /// A condition of the operation can no longer be met (DE9).
        case conditionImpossible
        /// Files that the operation needs are lost, and nobody can make them again (FI7).
        case inputsLost
        /// The operation is sent to a worker.
        case sent
        /// The worker has returned the operation unstarted.
        case returned
        /// A fault of the worker prevented the start: none of the operation's code has run (D9).
        case startFailed
        /// The worker starts the operation.
        case started
        /// The attempt ended without an error.
        case attemptSucceeded
        /// The attempt failed, and the operation has a retry left.
        case attemptFailedWithRetriesLeft
        /// The attempt failed, and the operation has no retry left.
        case attemptFailed
        /// The attempt has run, its worker had no room for its files, and another attempt is allowed.
        case attemptWithoutRoom
        /// The attempt was ended because of the operation's cancellation (CA16).
        case attemptCancelled
        /// The attempt was lost with its worker, or the worker ended the attempt unasked.
        case attemptLost
        /// The attempt was lost in the same way, and no further attempt is allowed.
        case attemptLostForGood
        /// Somebody has requested the operation's cancellation.
        case cancellationRequested
        /// The queue starts operations again (SU4).
        case queueResumed
    }

    /// The action that an event calls for.
    enum Action: Equatable {
        /// Do nothing: the event makes no difference at this stage.
        case ignore
        /// Make the operation ready.
        case makeReady
        /// Make the operation wait again.
        case makePending
        /// Give the operation to a worker.
        case send
        /// Make the operation ready again, without a worker.
        case returnUnstarted
        /// Start to execute the operation.
        case start
        /// Make the operation ready again, without a worker; the attempt that was to start does not count.
        case undoStart
        /// Make the operation wait for its next attempt.
        case awaitRetry
        /// End the attempt, and make the operation wait until there may be room for its files; no failure counts.
        case awaitRoom
        /// End the attempt, and make the operation ready for another attempt.
        case returnToReady
        /// Set the cancellation flag; the operation stays as it is until the queue is resumed (SU3).
        case flag
        /// Set the cancellation flag, and ask the worker to end or to return the attempt (CA4, CA15).
        case askWorkerToEnd
        /// Finish the operation.
        case finish(Outcome)
    }

    /// The action for an operation at a stage when an event occurs.
    ///
    /// - Parameters:
    ///   - stage: the stage of the operation.
    ///   - isCancelled: whether cancellation of the operation was requested before.
    ///   - isSuspended: whether the queue starts nothing.
    ///   - event: the event that occurs.
    static func action(at stage: Stage, isCancelled: Bool, isSuspended: Bool, on event: Event) -> Action {
        switch (stage, event) {
        case (.pending, .cancellationRequested), (.ready, .cancellationRequested):
            isCancelled ? .ignore : isSuspended ? .flag : .finish(.cancelled)
        case (.pending, .queueResumed), (.ready, .queueResumed):
            isCancelled ? .finish(.cancelled) : .ignore
        case (.pending, .conditionImpossible), (.ready, .conditionImpossible):
            // A cancelled operation has no conditions any more (CA3).
            isCancelled ? .ignore : .finish(.skipped)
        case (.pending, .inputsLost), (.ready, .inputsLost): isCancelled ? .ignore : .finish(.failed)
        case (.pending, .conditionsMet): .makeReady
        case (.pending, _): .ignore

        case (.ready, .conditionAdded): .makePending
        case (.ready, .sent): isCancelled ? .ignore : .send
        case (.ready, _): .ignore

        case (.sent, .returned), (.sent, .startFailed),
            (.sent, .attemptLost) where isCancelled,
            (.sent, .attemptLostForGood) where isCancelled:
            isCancelled && !isSuspended ? .finish(.cancelled) : .returnUnstarted
        case (.sent, .started): .start
        case (.sent, .attemptLost): .returnToReady
        case (.sent, .attemptLostForGood): .finish(.failed)
        case (.sent, .cancellationRequested): isCancelled ? .ignore : .askWorkerToEnd
        case (.sent, _): .ignore

        case (.executing, .startFailed): isCancelled ? .finish(.cancelled) : .undoStart
        case (.executing, .attemptSucceeded): .finish(.succeeded)
        case (.executing, .attemptFailedWithRetriesLeft): isCancelled ? .finish(.cancelled) : .awaitRetry
        case (.executing, .attemptWithoutRoom): isCancelled ? .finish(.cancelled) : .awaitRoom
        // The attempt had ended by itself before the worker heard of a cancellation (CA14).
        case (.executing, .attemptFailed): .finish(.failed)
        case (.executing, .attemptCancelled): .finish(.cancelled)
        case (.executing, .attemptLost): isCancelled ? .finish(.cancelled) : .returnToReady
        case (.executing, .attemptLostForGood): isCancelled ? .finish(.cancelled) : .finish(.failed)
        case (.executing, .cancellationRequested): isCancelled ? .ignore : .askWorkerToEnd
        case (.executing, _): .ignore

        case (.finished, _): .ignore
        }
    }
}
