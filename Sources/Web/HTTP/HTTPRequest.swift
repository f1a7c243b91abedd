/// A request that has arrived in whole.
@_spi(Baton) public struct HTTPRequest: Sendable {
    /// What came before the body.
    public var head: HTTPRequestHead
    /// The bytes of the body, without a chunked encoding.
    public var body: [UInt8]

    private let streams: HTTPStreamSupply

    /// Creates a request.
    ///
    /// - Parameter mostStreams: how many streams can be open at once, for tests without a server.
    public init(head: HTTPRequestHead, body: [UInt8] = [], mostStreams: Int = 1) {
        self.init(head: head, body: body, streams: HTTPStreamSupply(most: mostStreams))
    }

    init(head: HTTPRequestHead, body: [UInt8], streams: HTTPStreamSupply) {
        self.head = head
        self.body = body
        self.streams = streams
    }

    /// A stream for the answer; nil if as many are open as the limits allow, which ``HTTPResponse/tooManyStreams`` answers.
    public func openStream() -> HTTPStream? {
        streams.openStream()
    }
}
