@_spi(Baton) package import BatonOperations
@_spi(Baton) package import BatonStore

/// What a leader that cannot prove its lease does not say.
///
/// Owns the lease and the messages that wait for its next proof. Guarantees that the messages go out in their order, and none after
/// another coordinator has taken over.
package final class LeaderSilence {
    /// The lease.
    package private(set) var lease: LeaderLease
    /// The actions that speak to peers and wait for a proof, in their order.
    package private(set) var held: [CoordinatorCore.Action] = []
    /// Why this coordinator does not lead any more; nil as long as no other one has taken over.
    package private(set) var deposition: StoreError?

    /// Begins to lead.
    package init(_ lease: LeaderLease) {
        self.lease = lease
    }

    /// Takes in a proof of the lease.
    package func note(provenAt: Timestamp) { lease.note(provenAt: provenAt) }

    /// Ends the lease until the next proof.
    package func revoke() { lease.revoke() }

    /// Ends the leadership for good, and drops what waits to be said.
    package func depose(_ error: StoreError) {
        deposition = error
        held = []
    }

    /// Whether this coordinator may hear and answer its peers.
    package func maySpeak(at leaseTime: Timestamp) -> Bool { deposition == nil && lease.isProven(at: leaseTime) }

    /// Keeps an action behind the others until the next proof.
    func hold(_ action: CoordinatorCore.Action) { held.append(action) }

    /// Takes the actions that waited for a proof.
    func takeHeld() -> [CoordinatorCore.Action] {
        defer { held = [] }
        return held
    }
}

extension CoordinatorCore.Action {
    /// Whether the action tells a peer something.
    var speaks: Bool {
        switch self {
        case .send, .sendTogether, .handOver: true
        case .commit, .ask, .keep, .retryRecord, .checkRecord, .free: false
        }
    }
}
