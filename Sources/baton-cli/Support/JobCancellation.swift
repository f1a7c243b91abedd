import BatonClient
import BatonOperations
import Synchronization
import BatonWire

/// The cancellation of a job by whoever runs it, who waits for what executes, and for nothing else.
///
/// What was cancelled in a suspended queue is not finished before that is resumed (SU3), and never starts (CA15).
final class JobCancellation: Sendable {
    private let job: JobNumber
    private let connection: ClientConnection
    /// Whether nothing of the job starts any more.
    private let answered = Atomic(false)

    init(of job: JobNumber, on connection: ClientConnection) {
        self.job = job
        self.connection = connection
    }

    /// Asks for it, and waits for the answer.
    func perform() async throws(ClientError) {
        _ = try await connection.change(.cancel([.job(job)], queue: nil))
        answered.store(true, ordering: .releasing)
    }

    /// Asks how far the job is, or some of it.
    ///
    /// - Returns: how far, and whether there is nothing left to wait for.
    func progress(
        of addresses: [Address],
        by waiter: OperationID?,
        atMost time: Duration
    ) async throws(ClientError) -> (progress: WaitProgress, isOver: Bool) {
        // What the answer to the cancellation says holds for what is asked after it alone.
        let wasAnswered = answered.load(ordering: .acquiring)
        let progress = try await connection.progress(of: addresses, by: waiter, atMost: time)
        return (progress, progress.isFinished || wasAnswered && progress.counts.executing == 0)
    }
}
