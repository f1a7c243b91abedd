@_spi(Baton) public import BatonOperations
import Synchronization

@_spi(Baton) extension SQLStore {
    /// Raises the epoch, and reads the state from which a coordinator goes on.
    ///
    /// - Parameters:
    ///   - incarnation: the coordinator's incarnation.
    ///   - now: the present moment.
    /// - Returns: the state, and the moment of lease time from before the last proof: a long reading proves the lead in between. The moment
    ///   has no meaning for a file.
    public func start(
        as incarnation: Incarnation,
        at now: Timestamp
    ) throws(StoreError) -> (state: StoredState, provenAt: Timestamp) {
        let lead = try followClock(at: now)
        // The raised epoch is the first proof.
        let newest = NewestProof(LeaseClock.now)
        onProof = { newest.note($0) }
        var state = try open(as: incarnation)
        state.lead = lead
        state.recent = try recentEnds(before: now, clock: state.clock)
        return (state, newest.moment)
    }

    /// The newest proof of the lead until the recorder takes the proofs.
    private final class NewestProof: Sendable {
        private let microseconds: Atomic<Int64>

        init(_ first: Timestamp) { microseconds = Atomic(first.rawValue) }

        var moment: Timestamp { Timestamp(rawValue: microseconds.load(ordering: .relaxed)) }

        func note(_ moment: Timestamp) { microseconds.store(moment.rawValue, ordering: .relaxed) }
    }
}
