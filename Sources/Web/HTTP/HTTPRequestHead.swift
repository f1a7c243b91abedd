/// What a request says before its body.
@_spi(Baton) public struct HTTPRequestHead: Hashable, Sendable {
    /// The method, such as `GET`; case matters.
    public var method: String
    /// The target as the client sent it, with its query.
    public var target: String
    /// The segments of the path, decoded.
    ///
    /// `/` has none, and `/a/` has an empty one at its end. An escaped slash is part of its segment. The segments `.` and `..`
    /// stay as they are.
    public var path: [String]
    /// The items of the query in order, decoded; a plus sign is a space, and empty items are left out.
    public var query: [HTTPQueryItem]
    /// The headers; each one that the client sent twice is there twice.
    public var headers: HTTPHeaders
    /// The version of the protocol, such as `HTTP/1.1`.
    public var version: String
    /// The client.
    public var peer: HTTPPeer
    /// Whether the connection is encrypted.
    public var isEncrypted: Bool

    /// Creates the head of a request.
    ///
    /// The host of an absolute target counts, in place of that of the header `Host`.
    ///
    /// - Throws: ``HTTPFailure`` with the status 400 if the target is malformed, and with 421 if it names an encrypted server on a
    ///   connection that is not encrypted, or the other way round.
    public init(
        method: String,
        target: String,
        headers: HTTPHeaders = [:],
        version: String = "HTTP/1.1",
        peer: HTTPPeer,
        isEncrypted: Bool = false
    ) throws(HTTPFailure) {
        let decoded = try HTTPTarget(target)
        self.method = method
        self.target = target
        path = decoded.path
        query = decoded.query
        self.headers = headers
        if let authority = decoded.authority {
            guard decoded.isEncrypted == isEncrypted else {
                throw HTTPFailure(421, "The scheme of the target is not that of the connection.")
            }
            // A request without the header, or with two, stays malformed.
            if headers.only("Host") != nil { self.headers["Host"] = authority }
        }
        self.version = version
        self.peer = peer
        self.isEncrypted = isEncrypted
    }
}
