#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Concludes from the events of a connecting socket why its handshake fails.
///
/// Own one diagnosis for each socket beside its ``SocketMonitor``, and pass it every event of the monitor in order. A
/// conclusion is what libzmq 4.3.4 can tell, and no more:
///
/// - A refusal is a status in plain text that anybody on the path may have sent. It serves a sentence to a person; a
///   process with work to lose must not end the work for it.
/// - A server with another key, a server without CURVE, and a proxy whose server is away look alike: the connection breaks
///   in the handshake.
@_spi(Baton) public struct HandshakeDiagnosis: Sendable {
    /// What the events so far mean.
    public enum Conclusion: Hashable, Sendable {
        /// Nothing is known yet, or the connection was lost after a handshake.
        case pending
        /// The handshake has succeeded: with CURVE, both ends have proved their keys.
        case connected
        /// The server has refused this key, with ZAP's status: 400 for a key that is unknown or revoked.
        case refused(status: UInt32)
        /// The ends do not fit: the server has another key, only one of the ends uses CURVE, or the server does not speak
        /// this protocol.
        case mismatch
    }

    /// What the events so far mean.
    public private(set) var conclusion = Conclusion.pending

    /// Whether libzmq has given up: only a new socket connects again.
    ///
    /// libzmq gives up after a refusal and after a mismatch that it notices itself, without an event that says so. After
    /// broken handshakes alone it goes on, and the diagnosis may turn into ``Conclusion/connected``.
    public private(set) var needsNewSocket = false

    /// The longest time between two broken handshakes that together are a mismatch; one alone may be a server that stops.
    public static let window = Duration.seconds(2)

    private var isInHandshake = false
    private var lastBreak: ContinuousClock.Instant?

    /// Starts without a conclusion.
    public init() {}

    /// Takes in the next event of the socket's monitor.
    ///
    /// - Returns: whether the event has changed ``conclusion`` or ``needsNewSocket``. After some broken handshakes libzmq may give
    ///   up without another conclusion, and then somebody has to open a new socket.
    @discardableResult
    public mutating func note(_ event: SocketEvent.Kind, at now: ContinuousClock.Instant = .now) -> Bool {
        let before = (conclusion, needsNewSocket)
        take(event, at: now)
        return (conclusion, needsNewSocket) != before
    }

    private mutating func take(_ event: SocketEvent.Kind, at now: ContinuousClock.Instant) {
        switch event {
        case .connected:
            isInHandshake = true
        case .handshakeSucceeded:
            isInHandshake = false
            lastBreak = nil
            conclusion = .connected
        case .handshakeFailed(let failure):
            isInHandshake = false
            note(failure, at: now)
        case .disconnected:
            // A peer of another protocol, or of an early version of this one, has no event of its own.
            if isInHandshake { giveUp(.mismatch) }
            if conclusion == .connected { conclusion = .pending }
            isInHandshake = false
        case .connectDelayed, .connectRetried, .accepted, .acceptFailed, .closed, .monitorStopped:
            break
        }
    }

    private mutating func note(_ failure: SocketEvent.HandshakeFailure, at now: ContinuousClock.Instant) {
        switch failure {
        case .authentication(let status): giveUp(.refused(status: status))
        case .protocol: giveUp(.mismatch)
        case .system(EPIPE), .system(ECONNRESET):
            if let lastBreak, now - lastBreak <= Self.window { conclusion = .mismatch }
            lastBreak = now
        // The handshake took too long, or the network failed.
        case .system: break
        }
    }

    private mutating func giveUp(_ conclusion: Conclusion) {
        self.conclusion = conclusion
        needsNewSocket = true
    }
}
