@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonZeroMQ

/// A request's connection, number and requester, with the bytes that the request counts for.
struct ReplyAddress: Hashable, Sendable {
    /// The connection.
    var peer: RoutingID
    /// The client's number of the request.
    var number: UInt64
    /// The holder of the key that the request came with; nil for a coordinator without keys.
    var requester: Requester?
    /// The bytes that the request counts for until the reply.
    var requestBytes = 0
    /// The bytes reserved for the reply.
    var replyBytes = 0
    /// Whether a partial reply will do, after which the client asks for the rest.
    var isDivisible = false
    /// How long the record may take for the request.
    var reading = OpenReadings.Length.short
    /// Whether the request is a large submission; the coordinator handles large submissions one at a time.
    var isLargeSubmission = false

    /// What a schedule asks for in place of a client; nil for a client.
    var errand: ScheduleErrand?

    /// Who asks, for the record: the requester, or who added the schedule that asks.
    var recordName: String? { errand.map(\.addedBy) ?? requester?.recordName }

    /// How much the requester sees in documents.
    var disclosure: Disclosure { requester?.disclosure ?? .everything }
}
