@_spi(Baton) package import BatonOperations
@_spi(Baton) package import BatonStore

/// A message of the recorder to the coordinator.
package enum RecordLetter: Sendable {
    /// The record has committed this batch and all earlier batches.
    case committed(UInt64)
    /// The record cannot be written; the recorder will try the failed changes again.
    case failed(StoreError)
    /// The record can be written again.
    case recovered
    /// The record has answered a question, or the store of sent files has taken a piece.
    case answered(RecordAnswer)
    /// The record has answered a commit of this leader, which was sent right after this moment of lease time.
    case proven(Timestamp)
    /// Another coordinator leads on the record now; the recorder does nothing more.
    case deposed(StoreError)
}
