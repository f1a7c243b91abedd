@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The tickets by which other workers may read files directly (FI11).
///
/// A ticket is good for one content. It ends with the session in which the coordinator has named it, or some time after its last use.
struct ReaderTickets {
    /// The most tickets; beyond, those go first that would end first.
    static let mostTickets = 16_384

    /// The file and the time of a ticket.
    private struct Admission {
        let digest: ContentDigest
        let patience: Duration
        /// When the ticket ends unless it is used before.
        var endsAt: Duration
    }

    private var admissions: [ReaderTicket: Admission] = [:]

    /// The number of tickets, those included that have ended and were not removed yet.
    var count: Int { admissions.count }

    /// Admits the reader that shows a ticket, until some time after its last use.
    mutating func admit(_ ticket: ReaderTicket, to digest: ContentDigest, for patience: Duration, at now: Duration) {
        if admissions.count >= Self.mostTickets { makeRoom(at: now) }
        admissions[ticket] = Admission(digest: digest, patience: patience, endsAt: now + patience)
    }

    /// Whether a ticket is good for a content, which then counts as a use.
    mutating func use(_ ticket: ReaderTicket, for digest: ContentDigest, at now: Duration) -> Bool {
        guard let admission = admissions[ticket] else { return false }
        guard now < admission.endsAt else {
            admissions[ticket] = nil
            return false
        }
        guard admission.digest == digest else { return false }
        admissions[ticket]?.endsAt = now + admission.patience
        return true
    }

    /// Ends all tickets.
    mutating func removeAll() { admissions = [:] }

    /// Removes ended tickets; without any, an eighth of all, those that would end first.
    private mutating func makeRoom(at now: Duration) {
        admissions = admissions.filter { $0.value.endsAt > now }
        guard admissions.count >= Self.mostTickets else { return }
        let ordered = admissions.sorted { $0.value.endsAt < $1.value.endsAt }
        for (ticket, _) in ordered.prefix(Self.mostTickets / 8) { admissions[ticket] = nil }
    }
}
