@_spi(Baton) import BatonOperations

/// The event that the scheduler handles, and the effects of the last events.
struct CurrentEvent: Sendable {
    /// The time of the event.
    var time = Timestamp(rawValue: 0)
    /// Who asked for the request that is being handled; nil outside requests, and if nobody is known.
    var requester: RequesterName?
    /// Whether a request is handled although workers have not answered.
    var isGivingUp = false
    /// The age of the first operation that was added after the request had come; nil if the request has not waited.
    var firstLaterAge: UInt64?
    /// The effects that have not been taken.
    var effects: [Effect] = []
}
