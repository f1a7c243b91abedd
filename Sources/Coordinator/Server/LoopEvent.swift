@_spi(Baton) import BatonZeroMQ

/// The events from other threads to the coordinator's loop.
enum LoopEvent: Sendable {
    /// A letter of the recorder.
    case record(RecordLetter)
    /// A large message of a peer has been decoded; the requester is nil for a coordinator without keys.
    case read(ReceivedMessage, from: RoutingID, by: Requester?)
    /// A part of this process asks; the requester is nil for a coordinator without keys.
    case asked(ReceivedMessage, from: RoutingID, by: Requester?)
    /// A part of this process asks nothing more.
    case left(RoutingID)
    /// libzmq has freed this many bytes of a message to a peer.
    case freed(Int, of: RoutingID)
    /// A notice takes the place of the earlier one.
    case noticed(HealthNotice)
    /// The election has news, which wait there.
    case electionChanged
    /// Read again what is in files.
    case reload
    /// Stop.
    case stop
}
