@_spi(Baton) import BatonStore

/// The result of an attempt to lead.
enum ElectionNews: Sendable {
    /// This coordinator leads, with the record.
    case elected(OpenedRecord)
    /// Another coordinator leads; nil if the record does not tell which.
    case led(LeaderNotice?)
    /// No coordinator leads, and this coordinator may not lead, because the last leader had another key.
    case barred(last: LeaderNotice)
    /// The server of the record cannot be asked.
    case failed(StoreError)

    /// The address of the leader's web interface; nil if no other coordinator leads, and if the address is not known.
    var leadersPage: String? {
        switch self {
        case .led(let notice): notice?.web
        case .elected, .barred, .failed: nil
        }
    }
}
