@_spi(Baton) import BatonOperations
import Synchronization

/// The end of a load on a cluster, for the tasks that measure until then.
final class LoadEnd: Sendable {
    private let state = Mutex<Timestamp?>(nil)

    /// When the load ended; nil before.
    var moment: Timestamp? { state.withLock { $0 } }

    /// Notes that the load has ended now, and returns the moment.
    func note() -> Timestamp {
        state.withLock { state in
            let now = Timestamp.now
            state = now
            return now
        }
    }
}
