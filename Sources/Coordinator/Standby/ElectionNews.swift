@_spi(Baton) import BatonStore

/// What an election has found out.
enum ElectionNews: Sendable {
    /// This coordinator leads, with the record.
    case elected(OpenedRecord)
    /// Another coordinator leads, of which the record tells; nil if it does not.
    case led(LeaderNotice?)
    /// The server of the record cannot be asked.
    case failed(StoreError)
}
