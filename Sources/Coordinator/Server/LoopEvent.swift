@_spi(Baton) import BatonStore
@_spi(Baton) import BatonZeroMQ

/// The events from other threads to the coordinator's loop.
enum LoopEvent: Sendable {
    /// The record has committed this batch and all earlier batches.
    case committed(UInt64)
    /// The record cannot be written; the recorder will try the failed changes again.
    case recordFailed(StoreError)
    /// The record can be written again.
    case recordRecovered
    /// The record has answered a question.
    case answered(RecordAnswer)
    /// A large message of a peer has been decoded; the requester is nil for a coordinator without keys.
    case read(ReceivedMessage, from: RoutingID, by: Requester?)
    /// A part of this process asks; the requester is nil for a coordinator without keys.
    case asked(ReceivedMessage, from: RoutingID, by: Requester?)
    /// A part of this process asks nothing more.
    case left(RoutingID)
    /// libzmq has freed this many bytes of a message to a peer.
    case freed(Int, of: RoutingID)
    /// Stop.
    case stop
}
