@_spi(Baton) package import BatonOperations

/// How long a coordinator may act as the leader of its record.
///
/// Each answered commit under the fence of the record proves that nobody else led when the commit was sent. Whoever leads next waits
/// for as long as the last proof of this leader may hold, before it gives other workers what the record may lack.
///
/// All moments are those of a clock that also counts while the host is suspended (``CoordinatorSurroundings/leaseTime``).
///
/// Owns the moment of the last proof, which never goes back.
package struct LeaderLease: Sendable {
    /// How long before its end a lease counts as over: turns take time, and the clocks of two hosts run at slightly different rates.
    package static let margin = Duration.milliseconds(500)

    /// The length of a lease from its proof on.
    package let length: Duration
    /// The moment before the last proof was sent.
    private var provenAt: Timestamp
    /// Whether the connection to the record was lost since the last proof.
    private var isRevoked = false

    /// Begins with a first proof.
    ///
    /// - Parameter provenAt: the moment before the answered commit was sent.
    package init(length: Duration, provenAt: Timestamp) {
        self.length = length
        self.provenAt = provenAt
    }

    /// Takes in a proof; one of an earlier moment than the last says nothing new.
    ///
    /// - Parameter provenAt: the moment before the answered commit was sent.
    package mutating func note(provenAt: Timestamp) {
        guard provenAt >= self.provenAt else { return }
        self.provenAt = provenAt
        isRevoked = false
    }

    /// Ends the lease until the next proof: the connection to the record is lost, or a commit has no answer.
    package mutating func revoke() { isRevoked = true }

    /// The moment from which on the last proof does not count any more.
    package var provenUntil: Timestamp { provenAt + (length - Self.margin) }

    /// Whether this coordinator leads for certain.
    package func isProven(at now: Timestamp) -> Bool { !isRevoked && now < provenUntil }

    /// When the next proof is due: there is time for more than one before the lease is over.
    package var nextProof: Timestamp { provenAt + length / 4 }
}
