@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The true state of a leader in a run with two coordinators, which may differ from the beliefs of the leader.
final class Term {
    /// The session with the database server.
    let session: SimulatedServer.Session
    /// The rank that the coordinator tells.
    let rank: LeaderRank
    /// The lease that the process begins with; nil in one that is to forget about leases.
    let lease: LeaderLease?
    /// Whether the process is to be stopped as soon as it has sent its next proof.
    var stopsBehindProof = false

    private unowned let host: CoordinatorHost
    /// The lease as it really is.
    private var truth: LeaderLease
    /// Since when the recorder waits for the server.
    private var waitingSince: Timestamp?

    /// Begins with the election, which proves the lease.
    init(_ session: SimulatedServer.Session, of rank: LeaderRank, in host: CoordinatorHost) {
        self.session = session
        self.rank = rank
        self.host = host
        let first = LeaderLease(length: host.world.settings.lease, provenAt: host.leaseTime)
        truth = first
        lease = host.world.faults.contains(.answerUnproven) ? nil : first
    }

    /// Whether no other coordinator has taken over.
    var isLatest: Bool { host.server?.isLatest(session) ?? true }

    /// Whether the coordinator leads for certain, and may speak.
    var isProven: Bool { truth.isProven(at: host.leaseTime) }

    /// Notes an answered proof, by the moment before it was sent.
    func note(provenAt: Timestamp) { truth.note(provenAt: provenAt) }

    /// Whether the server answers the recorder, or the recorder has waited for long enough to give up.
    func isAnswerable() -> Bool {
        guard let server = host.server, !server.hears(host.index) else {
            waitingSince = nil
            return true
        }
        let now = host.world.now
        let since = waitingSince ?? now
        waitingSince = now < since + host.world.settings.lease ? since : nil
        return waitingSince == nil
    }
}
