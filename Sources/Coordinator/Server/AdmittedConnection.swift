@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonZeroMQ

/// A connection whose handshake was accepted, and what is known of its peer.
struct AdmittedConnection {
    /// The facts of the handshake, which travel as the user id of the connection's messages.
    struct Handshake: Equatable {
        /// The number of the key.
        let key: KeyNumber
        /// The number of the handshake, which no other connection has.
        let serial: UInt64

        init(key: KeyNumber, serial: UInt64) {
            self.key = key
            self.serial = serial
        }

        /// Reads a user id; nil for any text that ``userID`` does not make.
        init?(userID: String) {
            let parts = userID.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, let key = KeyNumber(parts[0]), let serial = UInt64(parts[1]) else { return nil }
            self.init(key: key, serial: serial)
        }

        /// The numbers as a user id.
        var userID: String { "\(key).\(serial)" }
    }

    /// The peer's address.
    let peer: RoutingID
    /// The connection's handshake.
    let handshake: Handshake
    /// The running operation that the peer has proved to act for, if any.
    ///
    /// All operations have one key, and a later connection may have the address and the descriptor of an ended one: only the
    /// handshake tells connections apart.
    var claim: OperationClaim?
}
