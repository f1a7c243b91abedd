@_spi(Baton) package import BatonStore
@_spi(Baton) import BatonThreads

/// A recorder without a thread: its owner has it do one transaction after the other.
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
            onRecovery: { letters.post(.recovered) }
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

    /// The letters since the last call, in order.
    package func takeLetters() -> [RecordLetter] { letters.take(mayThenSleep: false).elements }
}
