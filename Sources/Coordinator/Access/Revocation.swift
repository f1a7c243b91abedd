@_spi(Baton) package import BatonZeroMQ

/// What the revocation of keys ends.
package struct Revocation {
    /// The holders of the revoked keys, with or without a connection.
    package var keys: [Requester] = []
    /// The connections that were made with the keys.
    package var connections: [(peer: RoutingID, requester: Requester)] = []

    /// Revokes nothing.
    package init() {}
}
