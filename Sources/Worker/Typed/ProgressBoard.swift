@_spi(Baton) import BatonOperations
import Synchronization

/// The latest progress of running Swift operations, from their threads to the worker's own.
///
/// A report replaces the attempt's earlier one. The worker's thread is told of the first report after each ``takeAll()`` alone, so
/// that a function which reports without pause costs it nothing.
final class ProgressBoard: Sendable {
    private struct State {
        var latest: [AttemptToken: OperationProgress] = [:]
    }

    /// How long the worker's thread leaves reports here after it took some, so that an attempt sends at most four a second.
    static let interval = Duration.milliseconds(250)

    private let state = Mutex(State())

    /// Keeps a report.
    ///
    /// - Returns: whether this is the first report since the last ``takeAll()``.
    func put(_ progress: OperationProgress, of token: AttemptToken) -> Bool {
        state.withLock { state in
            defer { state.latest[token] = progress }
            return state.latest.isEmpty
        }
    }

    /// Removes and returns all reports, in the order of the attempts.
    func takeAll() -> [AttemptProgress] {
        let latest = state.withLock { state in
            defer { state.latest = [:] }
            return state.latest
        }
        return latest.sorted { $0.key < $1.key }.map { AttemptProgress($0.key, $0.value) }
    }
}
