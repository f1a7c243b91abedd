import BatonOperations

/// The one place that says what may happen to an operation: every stage with every event has an answer.
enum Lifecycle {
    /// Where an operation is, more finely than its state tells.
    enum Stage: CaseIterable {
        /// It waits for a condition.
        case pending
        /// It could start, and nobody has been given it.
        case ready
        /// It could start, and was sent to a worker that has not said that it starts it.
        case sent
        /// Its code may be running.
        case executing
        /// It is over.
        case finished
    }

    /// Something that happens to an operation.
    enum Event: CaseIterable {
        /// The last thing that it waited for has come.
        case conditionsMet
        /// It has got something to wait for (DE14).
        case conditionAdded
        /// One of its conditions can no longer hold (DE9).
        case conditionImpossible
        /// It is sent to a worker.
        case sent
        /// Its worker gave it back without having started it.
        case returned
        /// Its worker could not start it through a fault of its own: nothing of it has run (D9).
        case startFailed
        /// Its worker starts it.
        case started
        /// Its attempt ended without an error.
        case attemptSucceeded
        /// Its attempt failed, and its retries allow another one.
        case attemptFailedWithRetriesLeft
        /// Its attempt failed, and there is none left.
        case attemptFailed
        /// Its attempt was ended because of its cancellation (CA16).
        case attemptCancelled
        /// Its attempt was lost with its worker, or the worker ended it by itself.
        case attemptLost
        /// The same, and there is to be no other one: there were as many as are allowed.
        case attemptLostForGood
        /// Somebody asked for its end.
        case cancellationRequested
        /// Its queue starts operations again (SU4).
        case queueResumed
    }

    /// What has to be done about it.
    enum Action: Equatable {
        /// Nothing: it makes no difference at this stage.
        case ignore
        /// It becomes ready.
        case makeReady
        /// It waits again.
        case makePending
        /// It is given to a worker.
        case send
        /// It is ready without a worker again.
        case takeBack
        /// It starts to execute.
        case start
        /// It is ready without a worker again, and the attempt that was to start does not count.
        case undoStart
        /// It waits for its next attempt.
        case awaitRetry
        /// Its attempt is over, and it is ready for another one.
        case returnToReady
        /// The flag is set, and it stays as it is until its queue is resumed (SU3).
        case flag
        /// The flag is set, and its worker is asked to end it, or to give it back (CA4, CA15).
        case askWorkerToEnd
        /// It is finished.
        case finish(Outcome)
    }

    /// What an event means for an operation at a stage.
    ///
    /// - Parameters:
    ///   - stage: where the operation is in its life.
    ///   - isCancelled: whether its cancellation was asked for before.
    ///   - isSuspended: whether its queue starts nothing.
    ///   - event: what happens.
    static func action(at stage: Stage, isCancelled: Bool, isSuspended: Bool, on event: Event) -> Action {
        switch (stage, event) {
        case (.pending, .cancellationRequested), (.ready, .cancellationRequested):
            isCancelled ? .ignore : isSuspended ? .flag : .finish(.cancelled)
        case (.pending, .queueResumed), (.ready, .queueResumed):
            isCancelled ? .finish(.cancelled) : .ignore
        case (.pending, .conditionImpossible), (.ready, .conditionImpossible):
            // What was cancelled has no conditions any more (CA3).
            isCancelled ? .ignore : .finish(.skipped)
        case (.pending, .conditionsMet): .makeReady
        case (.pending, _): .ignore

        case (.ready, .conditionAdded): .makePending
        case (.ready, .sent): isCancelled ? .ignore : .send
        case (.ready, _): .ignore

        case (.sent, .returned), (.sent, .startFailed),
            (.sent, .attemptLost) where isCancelled,
            (.sent, .attemptLostForGood) where isCancelled:
            isCancelled && !isSuspended ? .finish(.cancelled) : .takeBack
        case (.sent, .started): .start
        case (.sent, .attemptLost): .returnToReady
        case (.sent, .attemptLostForGood): .finish(.failed)
        case (.sent, .cancellationRequested): isCancelled ? .ignore : .askWorkerToEnd
        case (.sent, _): .ignore

        case (.executing, .startFailed): isCancelled ? .finish(.cancelled) : .undoStart
        case (.executing, .attemptSucceeded): .finish(.succeeded)
        case (.executing, .attemptFailedWithRetriesLeft): isCancelled ? .finish(.cancelled) : .awaitRetry
        // It had ended by itself before its worker heard of a cancellation (CA14).
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
