@_spi(Baton) import BatonClient

/// The channel of one stream of events: made for the stream's first question, and closed with the stream.
///
/// A connection has one open watch, so that each stream needs a connection of its own.
struct StreamChannel: ~Copyable {
    private var made: (any RequestChannel)?

    /// Whether the stream has asked a question.
    var isMade: Bool { made != nil }

    /// Returns the channel, and makes it the first time.
    ///
    /// - Throws: the errors of ``Cluster/channelForStream()``.
    mutating func channel(of cluster: Cluster) throws(ClusterError) -> any RequestChannel {
        if let made { return made }
        let channel = try cluster.channelForStream()
        made = channel
        return channel
    }

    deinit { made?.close() }
}
