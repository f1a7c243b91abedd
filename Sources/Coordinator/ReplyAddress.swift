import ZeroMQ

/// Where a request came from, and its number there.
struct ReplyAddress: Hashable, Sendable {
    /// The connection.
    var peer: RoutingID
    /// The client's number of the request.
    var number: UInt64
}
