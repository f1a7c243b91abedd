import CBatonZeroMQ

/// Decides which keys may connect to the CURVE servers of a context (the handler of ZAP 1.0, ZeroMQ RFC 27).
///
/// Create the authenticator before the first server binds, and close it after the last server. The authenticator
/// starts no thread: add the authenticator to the ``Poller`` of the creating thread, and call ``answerPending(limit:_:)``
/// when the poller finds it readable. Until then, handshakes wait, for ``SocketOptions/handshakeTimeout`` at most.
///
/// A key is checked once for each connection: a refusal has no effect on a connection that exists.
@_spi(Baton) public final class Authenticator {
    /// What a peer shows in its handshake.
    public struct Request: Hashable, Sendable {
        /// The key whose secret half the peer has proved to know.
        public let key: CurvePublicKey
        /// The domain of the server's ``SocketSecurity/curveServer(secretKey:domain:)``.
        public let domain: String
        /// The IP address of the peer, without the port.
        public let address: String
    }

    /// The answer to a request.
    public enum Verdict: Hashable, Sendable {
        /// The peer is connected, and its messages have this ``Message/userID``, of 1 to 255 bytes without a zero byte.
        ///
        /// Any other user id refuses the peer with status 500.
        case accepted(userID: String)
        /// The peer is told status 400, and its socket stops trying to connect.
        case refused
    }

    /// Where libzmq looks for the handler.
    private static let endpoint = "inproc://zeromq.zap.01"

    /// The socket of the requests.
    let socket: Socket

    /// Takes the place of the context's authenticator.
    ///
    /// - Throws: `ZeroMQError` with ``ZeroMQError/Reason/addressInUse`` if the context has an authenticator already.
    public init(context: Context) throws(ZeroMQError) {
        socket = try Socket(.router, in: context)
        try socket.bind(Self.endpoint)
    }

    deinit { close() }

    /// Answers waiting requests, and returns how many it took.
    ///
    /// A request of the wrong form is refused without a call of `decide`, and so is any mechanism but CURVE. There is never
    /// an answer 300 ("try later"): libzmq would leave the peer without any answer, for ever.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of requests; the authenticator stays readable while more wait.
    ///   - decide: returns the verdict on a request.
    /// - Throws: `ZeroMQError` if the authenticator is closed or the context terminated.
    @discardableResult
    public func answerPending(
        limit: Int = .max,
        _ decide: (Request) -> Verdict
    ) throws(ZeroMQError) -> Int {
        var count = 0
        while count < limit, let frames = try nextRequest() {
            count += 1
            guard let envelope = AuthenticationEnvelope(frames: frames) else { continue }
            // The peer may be gone: then there is nobody to answer.
            _ = try socket.send(frames: envelope.reply(envelope.answer(decide)))
        }
        return count
    }

    /// Ends the work: servers of the context refuse all new peers from now on.
    ///
    /// Handshakes that wait for a verdict wait for ``SocketOptions/handshakeTimeout``. Further calls are harmless.
    public func close() {
        // The closing alone would leave the endpoint in use for a moment, and servers would wait for its answers.
        socket.unbind(Self.endpoint)
        socket.close()
    }

    /// The frames of the next request, without the frames beyond the longest valid request.
    private func nextRequest() throws(ZeroMQError) -> [[UInt8]]? {
        guard let first = try socket.receiveFrame() else { return nil }
        var frames = [first.bytes]
        var hasMore = first.hasMore
        while hasMore, let next = try socket.receiveFrame() {
            if frames.count <= AuthenticationEnvelope.frameCount { frames.append(next.bytes) }
            hasMore = next.hasMore
        }
        return frames
    }
}
