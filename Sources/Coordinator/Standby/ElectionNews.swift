@_spi(Baton) import BatonStore

/// What an election has found out.
enum ElectionNews: Sendable {
    /// This coordinator leads, with the record.
    case elected(OpenedRecord)
    /// Another coordinator leads, of which the record tells; nil if it does not.
    case led(LeaderNotice?)
    /// Nobody leads, and this coordinator may not, since the last leader had another key.
    case barred(last: LeaderNotice)
    /// The server of the record cannot be asked.
    case failed(StoreError)

    /// Where the leader's web interface is found; nil if another one does not lead, and if that is not known.
    var leadersPage: String? {
        switch self {
        case .led(let notice): notice?.web
        case .elected, .barred, .failed: nil
        }
    }
}
