import BatonZeroMQ

/// Where a request came from, and its number there.
struct ReplyAddress: Hashable, Sendable {
    /// The connection.
    var peer: RoutingID
    /// The client's number of the request.
    var number: UInt64
    /// How many bytes the request counts for until it is answered.
    var requestBytes = 0
    /// How many bytes are set aside for the answer.
    var answerBytes = 0
    /// Whether a part of the answer will do, after which the client asks for the rest.
    var isDivisible = false
    /// How long the record may take for it.
    var reading = OpenReadings.Length.short
    /// Whether it is one of the submissions of which one at a time is looked at.
    var isLargeSubmission = false
}
