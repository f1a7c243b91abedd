/// What clients may take of the server: no client can use up what the others need.
@_spi(Baton) public struct HTTPLimits: Hashable, Sendable {
    /// The most connections at once; a further one takes the place of one that waits for its client, whose sender is unknown, or is
    /// closed at once.
    public var mostConnections: Int
    /// The most connections of one peer address of another host.
    public var mostConnectionsOfAddress: Int
    /// The most connections of one loopback address.
    public var mostConnectionsOfLoopback: Int
    /// The most bytes of a request's first line and headers; a larger request is answered with 431.
    public var mostHeaderBytes: Int
    /// The most bytes of the body of a refused request that are read and dropped, so that its connection can go on.
    public var mostDroppedBytes: Int
    /// The most bytes of the bodies of all requests that arrive or are handled; a request beyond is answered with 503.
    public var mostBodyBytesInAll: Int
    /// How long the first line and the headers of a request may take to arrive, of ``requestTime``.
    public var headTime: Duration
    /// How long a whole request may take to arrive.
    ///
    /// The server answers a slower request with 408, or closes the connection. The time begins with the connection, and for each
    /// further request with its first line.
    public var requestTime: Duration
    /// How long a connection may be open between the end of an answer and the first line of the next request.
    ///
    /// A line of which a part has come by then has ``headTime`` from then on.
    public var idleTime: Duration
    /// How long a client may take nothing of the bytes that wait for it before it loses its connection; rounded up to seconds.
    public var stallTime: Duration
    /// How long a request is handled after its client has closed its sending side, before the handling is cancelled.
    ///
    /// Such a client may wait for the answer, or may have left: both look alike until something is sent. If the request is
    /// incomplete, the connection ends after this time.
    public var halfClosedTime: Duration
    /// How long a stop of the server waits for answers on their way.
    public var stopTime: Duration
    /// The most streams at once.
    public var mostStreams: Int

    /// Creates limits; the defaults are those of Baton.
    public init(
        mostConnections: Int = 256,
        mostConnectionsOfAddress: Int = 32,
        mostConnectionsOfLoopback: Int = 128,
        mostHeaderBytes: Int = 16_384,
        mostDroppedBytes: Int = 65_536,
        mostBodyBytesInAll: Int = 1 << 28,
        headTime: Duration = .seconds(10),
        requestTime: Duration = .seconds(30),
        idleTime: Duration = .seconds(60),
        stallTime: Duration = .seconds(60),
        halfClosedTime: Duration = .seconds(10),
        stopTime: Duration = .seconds(1),
        mostStreams: Int = 64
    ) {
        self.mostConnections = mostConnections
        self.mostConnectionsOfAddress = mostConnectionsOfAddress
        self.mostConnectionsOfLoopback = mostConnectionsOfLoopback
        self.mostHeaderBytes = mostHeaderBytes
        self.mostDroppedBytes = mostDroppedBytes
        self.mostBodyBytesInAll = mostBodyBytesInAll
        self.headTime = headTime
        self.requestTime = requestTime
        self.idleTime = idleTime
        self.stallTime = stallTime
        self.halfClosedTime = halfClosedTime
        self.stopTime = stopTime
        self.mostStreams = mostStreams
    }

    /// The shortest time after which something has to end.
    ///
    /// Who looks at deadlines at least as often misses none, although a deadline may begin unseen.
    var shortestTime: Duration { min(headTime, requestTime, idleTime, halfClosedTime) }
}
