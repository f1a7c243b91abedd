/// The drain of a worker: a request that the worker gets nothing new, until somebody takes the request back.
///
/// The record keeps a drain by the worker's identity: another session, another process in the same directory, or a restarted
/// coordinator changes nothing about the drain.
@_spi(Baton) public struct DrainRecord: Hashable, Sendable {
    /// The name that the worker had at the request.
    public var name: String
    /// Who asked, such as the name of a key; nil if nobody is known.
    public var by: String?
    /// When the drain was asked for.
    public var since: Timestamp

    /// Describes a drain.
    public init(name: String, by: String? = nil, since: Timestamp) {
        self.name = name
        self.by = by
        self.since = since
    }
}
