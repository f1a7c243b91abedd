@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Synchronization

/// The record of a coordinator that starts, and what it goes on from.
struct OpenedRecord {
    /// The record; nobody else uses it.
    let store: any Store
    /// The state in the record, with a raised epoch.
    let state: StoredState
    /// How long the coordinator leads without a further proof; nil for a file, which one host alone can open.
    let lease: LeaderLease?

    /// Opens the file, or becomes the leader of the record on a server.
    ///
    /// - Parameter endpoint: the address of the coordinator's socket, which the server tells other coordinators.
    init(of options: CoordinatorOptions, listeningAt endpoint: String, _ clock: Clock) throws(StoreError) {
        let opened: SQLStore
        let length = options.lease ?? CoordinatorOptions.usualLease
        switch options.store {
        case .file(let path):
            opened = try SQLStore(
                path: path,
                eventHistory: options.eventHistory,
                acceptingLossAt: options.acceptsLoss ? clock.now : nil
            )
            Self.tell(of: opened.acceptedLoss, options.logger)
        case .server(let server):
            let host = HostName.present
            opened = try SQLStore(
                server: server,
                lease: length,
                address: HostName.text(of: endpoint, at: host),
                host: host,
                eventHistory: options.eventHistory
            )
        }
        var random = SystemRandomNumberGenerator()
        let lead = try opened.followClock(at: clock.now)
        // The raised epoch is the first proof. A long reading proves the lease anew in between.
        let newest = NewestProof(clock.leaseTime)
        opened.onProof = { newest.note($0) }
        var state = try opened.open(as: .random(using: &random))
        state.lead = lead
        state.recent = try opened.recentEnds(before: clock.now, clock: state.clock)
        store = opened
        self.state = state
        lease =
            switch options.store {
            case .file: nil
            case .server: LeaderLease(length: length, provenAt: newest.moment)
            }
    }

    /// The newest proof of the lease until the recorder takes the proofs.
    private final class NewestProof: Sendable {
        private let microseconds: Atomic<Int64>

        init(_ first: Timestamp) { microseconds = Atomic(first.rawValue) }

        var moment: Timestamp { Timestamp(rawValue: microseconds.load(ordering: .relaxed)) }

        func note(_ moment: Timestamp) { microseconds.store(moment.rawValue, ordering: .relaxed) }
    }

    private static func tell(of loss: RecordLoss?, _ logger: Logger) {
        guard let loss else { return }
        logger.warning(
            "the coordinator goes on without a part of its record, as it was told",
            metadata: ["commits": "\(loss.commits.map(String.init) ?? "unknown")", "jobs": "\(loss.jobCount)"]
        )
    }
}
