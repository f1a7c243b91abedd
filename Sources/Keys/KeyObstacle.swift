@_spi(Baton) public import BatonZeroMQ

/// The reason in the keys why a coordinator and its peer do not get past their handshake.
///
/// The reason follows from plain text that anybody on the path may have sent. It serves a sentence to a person; a process
/// with work to lose must not end the work for it.
@_spi(Baton) public enum KeyObstacle: Hashable, Sendable {
    /// The coordinator knows no such key, or no longer.
    case refused
    /// The coordinator has another key than the peer expects, or no key.
    case mismatch
    /// The coordinator requires a key, and the peer has none.
    case missing

    /// How long a server may take to tell its mechanism.
    private static let greetingPatience = Duration.seconds(1)

    /// Finds the reason for the conclusion of a diagnosis; nil if the keys are not known to be the reason.
    ///
    /// A connection that breaks in its handshake says nothing about keys by itself: a proxy or tunnel whose server is away ends
    /// connections in the same way. The server is therefore asked for its greeting, so that the call may block for a second or, if
    /// the resolver of names does, for longer.
    public init?(
        _ conclusion: HandshakeDiagnosis.Conclusion,
        of endpoint: String,
        with security: SocketSecurity
    ) {
        switch (conclusion, security) {
        case (.refused(status: 400), _):
            self = .refused
        case (.mismatch, _):
            let mechanism = ServerGreeting.mechanism(at: endpoint, within: Self.greetingPatience)
            switch (mechanism, security == .none) {
            case ("CURVE", true): self = .missing
            case ("CURVE", false), ("NULL", false): self = .mismatch
            // No coordinator, or nobody behind a proxy.
            default: return nil
            }
        // Any other status is a failure of the coordinator, which tells nothing about the key.
        case (.refused, _), (.pending, _), (.connected, _):
            return nil
        }
    }

    /// The reason as a sentence about the coordinator at an address.
    public func sentence(about endpoint: String) -> String {
        switch self {
        case .refused:
            "The coordinator at \(endpoint) does not admit this key: it is unknown there or was revoked."
        case .mismatch:
            "The coordinator at \(endpoint) has another key, or one of the two sides runs without keys."
        case .missing:
            "The coordinator at \(endpoint) requires a key, and this side runs without keys."
        }
    }
}
