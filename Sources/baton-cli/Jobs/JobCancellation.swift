@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
import Synchronization
@_spi(Baton) import BatonWire

/// The cancellation of a job, or of one operation, by its runner; the runner then waits only for executing operations.
///
/// A cancelled operation in a suspended queue stays unfinished until the queue is resumed (SU3), and never starts (CA15).
final class JobCancellation: Sendable {
    private let subject: Address
    private let connection: ClientConnection
    /// Whether the coordinator confirmed the cancellation, so that no further operation of the subject starts.
    private let answered = Atomic(false)
    /// Why the coordinator did not cancel the subject.
    private let failure = Mutex<ClientError?>(nil)

    init(of subject: Address, on connection: ClientConnection) {
        self.subject = subject
        self.connection = connection
    }

    /// Requests the cancellation, and waits for the answer; after a failure, ``progress(of:by:atMost:partial:outputs:)`` throws it, too.
    func perform() async throws(ClientError) {
        do {
            _ = try await connection.change(.cancel([subject], queue: nil))
        } catch {
            failure.withLock { $0 = error }
            throw error
        }
        answered.store(true, ordering: .releasing)
    }

    /// Asks for the progress of the job, or of some of its operations.
    ///
    /// - Parameters:
    ///   - partial: whether to ask for the progress that executing operations report.
    ///   - outputs: whether to ask for the output of a single operation together with its end.
    /// - Returns: the progress, and whether no operation is left to wait for.
    func progress(
        of addresses: [Address],
        by waiter: OperationID?,
        atMost time: Duration,
        partial: Bool = false,
        outputs: Bool = false
    ) async throws(ClientError) -> (progress: WaitProgress, isOver: Bool) {
        if let failure = failure.withLock({ $0 }) { throw failure }
        // Load the flag before the request: the confirmation is valid only for progress requested afterwards.
        let wasAnswered = answered.load(ordering: .acquiring)
        let progress = try await connection.progress(
            of: addresses,
            by: waiter,
            atMost: time,
            partial: partial,
            outputs: outputs
        )
        return (progress, progress.isFinished || wasAnswered && progress.counts.executing == 0)
    }
}
