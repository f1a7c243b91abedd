@_spi(Baton) import BatonOperations
import Synchronization

/// The latest progress of running Swift operations, from their threads to the worker's own.
///
/// A report replaces the attempt's earlier one. The worker's thread is told of the first report after each ``takeAll()`` alone, so
/// that a function which reports without pause costs it nothing.
final class ProgressBoard: Sendable {
    /// How long the worker's thread leaves reports here after it took some, so that an attempt sends at most four a second,
    /// apart from the last before its end.
    static let interval = Duration.milliseconds(250)

    private let latest = Mutex<[AttemptToken: OperationProgress]>([:])

    /// Keeps a report.
    ///
    /// - Returns: whether this is the first report since the last ``takeAll()``.
    func put(_ progress: OperationProgress, of token: AttemptToken) -> Bool {
        latest.withLock { latest in
            defer { latest[token] = progress }
            return latest.isEmpty
        }
    }

    /// Whether the board has a report of an attempt.
    func hasReport(of token: AttemptToken) -> Bool { latest.withLock { $0[token] != nil } }

    /// Removes and returns all reports, in the order of the attempts.
    func takeAll() -> [AttemptProgress] {
        let taken = latest.withLock { latest in
            defer { latest = [:] }
            return latest
        }
        return taken.sorted { $0.key < $1.key }.map { AttemptProgress($0.key, $0.value) }
    }
}
