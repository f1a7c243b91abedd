import BatonStore
import BatonZeroMQ

/// What other threads tell the coordinator's loop.
enum LoopEvent: Sendable {
    /// Everything up to this batch is on disk.
    case committed(UInt64)
    /// The record cannot be written; what was not kept is tried again.
    case recordFailed(StoreError)
    /// The record can be written again.
    case recordRecovered
    /// What the record was asked is answered.
    case answered(RecordAnswer)
    /// A peer's message was read.
    case read(ReceivedMessage, from: RoutingID)
    /// So many bytes of what a peer is sent are no longer kept.
    case released(Int, of: RoutingID)
    /// Stop.
    case stop
}
