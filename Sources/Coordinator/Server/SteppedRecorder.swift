@_spi(Baton) package import BatonOperations
@_spi(Baton) package import BatonStore
@_spi(Baton) import BatonThreads

/// A recorder without a thread: each call of ``takeStep()`` does one transaction.
package final class SteppedRecorder {
    private let inbox = RecorderInbox()
    private let letters = Mailbox<RecordLetter, SemaphoreBell>(bell: SemaphoreBell())
    private var loop: RecorderLoop

    /// Takes over an open record.
    package init(_ store: any Store) {
        let letters = letters
        loop = RecorderLoop(
            store: store,
            inbox: inbox,
            transactionLimit: Recorder.defaultTransactionLimit,
            onFailure: { letters.post(.failed($0)) },
            onRecovery: { letters.post(.recovered) },
            onProof: { letters.post(.proven($0)) },
            onDeposed: { letters.post(.deposed($0)) }
        )
    }

    /// Posts a letter behind those of the recorder.
    package var post: @Sendable (RecordLetter) -> Void {
        { [letters] in letters.post($0) }
    }

    /// Adds work.
    package func put(_ work: RecorderInbox.Item) { _ = inbox.put(work) }

    /// Requests another try to commit the changes that failed.
    package func retry() { inbox.requestRetry() }

    /// Does the work of one transaction.
    ///
    /// - Returns: whether more work can be done now.
    @discardableResult
    package func takeStep() -> Bool {
        _ = loop.turn(blocking: false)
        return loop.isBusy
    }

    /// Carries out a core's actions, does the work for the record, and has the core take in the results, until nothing is left.
    ///
    /// - Returns: why the record could not be written.
    package func carryOutActions(
        of shell: CoordinatorShell,
        in surroundings: some CoordinatorSurroundings,
        at now: Timestamp
    ) -> [StoreError] {
        var failures: [StoreError] = []
        var letters: [RecordLetter]
        repeat {
            shell.carryOutActions(in: surroundings, at: now)
            while takeStep() {}
            letters = takeLetters()
            for letter in letters {
                if case .failed(let error) = letter { failures.append(error) }
                shell.open(letter, at: now)
            }
        } while !letters.isEmpty
        return failures
    }

    /// The letters since the last call, in order.
    package func takeLetters() -> [RecordLetter] { letters.take(mayThenSleep: false).elements }
}
