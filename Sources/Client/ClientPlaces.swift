@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The addresses of several coordinators of which one leads, as a client sees them.
///
/// A client with a single address has no places here.
struct ClientPlaces {
    /// The stages in the life of a place's socket.
    enum Stage {
        /// No socket exists; the loop opens the next one at the given time.
        case down(until: ContinuousClock.Instant)
        /// The IP addresses of the place's host are being looked for and tried.
        case searching(since: ContinuousClock.Instant)
        /// The socket is connecting.
        case connecting(since: ContinuousClock.Instant)
        /// The latest hello has no answer; the last sign of life came at the given time.
        case greeting(since: ContinuousClock.Instant)
        /// The latest hello was answered at the given time.
        case answered(since: ContinuousClock.Instant)
    }

    /// What the coordinator of a place has said last.
    enum Standing {
        case unknown
        /// It leads, with a rank if it tells one.
        case leading(LeaderRank?)
        case standingBy
    }

    /// One address.
    struct Place {
        /// The address as it was given.
        let endpoint: String
        /// The endpoint of the latest socket, with an IP address in place of a name.
        var address: String
        var stage: Stage
        var standing = Standing.unknown
        /// The socket; nil also for the place that the client has chosen, whose socket is the loop's.
        var wire: ClientWire?
        /// The handshakes of the socket.
        var diagnosis = HandshakeDiagnosis()
        /// Why the place was of no use, since the client began to choose.
        var error: ClientError?
        /// The IP addresses of the name at which another server answers, and what the first of them said.
        var passedOver: (addresses: Set<String>, error: ClientError)?
        /// Whether a search is under way, possibly one whose finding nobody waits for any more.
        var isSearching = false
        /// How long the coordinator may take for its next sign of life before its answer, by the round trip of the connection.
        var farPatience = Duration.zero

        fileprivate init(_ endpoint: String) {
            self.endpoint = endpoint
            address = endpoint
            stage = .down(until: .now)
        }
    }

    /// How long the client, while a coordinator leads, waits before it looks again at a place of no use, and asks one that stands by.
    static let pause = Duration.seconds(10)

    /// The places in the order of the addresses.
    var list: [Place]
    /// The place whose coordinator has the client's requests.
    private(set) var present: Int?
    /// Whether a coordinator has said that it leads or stands by.
    private(set) var haveAnswered = false
    /// The highest rank that has been seen of each record.
    private var highest: [Incarnation: LeaderRank] = [:]

    /// Describes the addresses; a single one needs no choice, and has no place.
    init(_ endpoints: EndpointList) {
        list = endpoints.endpoints.count > 1 ? endpoints.endpoints.map(Place.init) : []
    }

    // MARK: - What the coordinators say

    /// Notes that a coordinator leads.
    mutating func noteLeading(_ rank: LeaderRank?, at place: Int, now: ContinuousClock.Instant) {
        list[place].stage = .answered(since: now)
        list[place].standing = .leading(rank)
        haveAnswered = true
        list[place].error = nil
        list[place].passedOver = nil
        guard let rank else { return }
        if let known = highest[rank.record], !rank.outranks(known) { return }
        highest[rank.record] = rank
    }

    /// Notes that a coordinator stands by.
    mutating func noteStandby(at place: Int, now: ContinuousClock.Instant) {
        list[place].stage = .answered(since: now)
        list[place].standing = .standingBy
        haveAnswered = true
        list[place].error = nil
        list[place].passedOver = nil
    }

    /// Notes that a hello was sent again: a coordinator that led must say so again before anything is sent there.
    mutating func noteHello(at place: Int, now: ContinuousClock.Instant) {
        list[place].stage = .greeting(since: now)
        list[place].farPatience = .zero
        if case .leading = list[place].standing { list[place].standing = .unknown }
    }

    /// Notes that a place has no socket any more.
    mutating func noteClosed(_ place: Int, until next: ContinuousClock.Instant) {
        list[place].stage = .down(until: next)
        list[place].standing = .unknown
        list[place].wire = nil
        if present == place { present = nil }
    }

    // MARK: - The choice

    /// The place to send requests to: of those whose coordinators lead, the one of the highest rank; nil if there is none.
    ///
    /// The present place is left only for one that outranks it: the coordinators of two records do not lead in turn.
    var best: Int? {
        let order = (present.map { [$0] } ?? []) + list.indices.filter { $0 != present }
        // The present place comes first, also once a newer coordinator of its record is known: it is left for that one.
        if let leader = leader(in: order), !isSuperseded(leader.rank) { return leader.place }
        return leader(in: order.filter { !leadsOlderCopy(list[$0]) })?.place
    }

    /// The first of some places whose coordinator leads, or a later one that outranks it.
    private func leader(in order: [Int]) -> (place: Int, rank: LeaderRank?)? {
        var best: (place: Int, rank: LeaderRank?)?
        for place in order {
            guard case .leading(let rank) = list[place].standing else { continue }
            if let other = best, !Self.outranks(rank, other.rank) { continue }
            best = (place, rank)
        }
        return best
    }

    /// Makes a place the present one, and hands over its socket.
    mutating func choose(_ place: Int) -> ClientWire? {
        present = place
        defer { list[place].wire = nil }
        return list[place].wire
    }

    /// Whether every place has been of no use since the client began to choose, or stands by, or leads an older copy of a record.
    var isSettled: Bool { list.allSatisfy { $0.error != nil || $0.standsBy || leadsOlderCopy($0) } }

    /// The addresses whose coordinators stand by.
    var standbys: [String] { list.filter(\.standsBy).map(\.endpoint) }

    /// The addresses whose coordinators lead an older copy of a record.
    var superseded: [String] { list.filter { leadsOlderCopy($0) }.map(\.endpoint) }

    private func leadsOlderCopy(_ place: Place) -> Bool {
        if case .leading(let rank) = place.standing { isSuperseded(rank) } else { false }
    }

    /// Whether a coordinator of the same record with a higher epoch has been seen.
    private func isSuperseded(_ rank: LeaderRank?) -> Bool {
        guard let rank, let known = highest[rank.record] else { return false }
        return known.outranks(rank)
    }

    /// Whether the first coordinator leads in place of the second one; one that tells no rank is behind all that do.
    private static func outranks(_ rank: LeaderRank?, _ other: LeaderRank?) -> Bool {
        guard let rank else { return false }
        return other.map(rank.outranks) ?? true
    }
}

extension ClientPlaces.Place {
    /// Whether the place's coordinator has said last that it stands by.
    var standsBy: Bool {
        if case .standingBy = standing { true } else { false }
    }
}
