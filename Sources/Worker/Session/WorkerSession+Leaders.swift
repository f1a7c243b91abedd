@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The choice of the leader among several coordinators.
///
/// A worker with several places asks all of them who leads, beside its connection, and goes to the leader of the highest epoch. A
/// worker with one place asks nobody.
extension WorkerSession {
    /// How long the worker waits at a coordinator that stands by until it says hello again.
    static let standbyPatience = Duration.seconds(10)
    /// How long the worker asks the other places before it obeys a coordinator whose epoch is not above the highest epoch that the worker
    /// has obeyed: the length of a lease, after which a leader that was replaced does not lead any more.
    static let doubtPatience = Duration.seconds(2)

    /// The place of the present connection, or of the latest one.
    var currentPlace: Int { place ?? 0 }

    /// The place of a coordinator that stands by, while the worker waits for one to lead; nil if the worker does not wait for a leader.
    var standbyPlace: Int? {
        switch connection {
        case .standingBy: return currentPlace
        case .away, .opening, .greeting:
            let isLed = choice.standings.contains { if case .leading = $0 { true } else { false } }
            return isLed ? nil : choice.standings.firstIndex(of: .standingBy)
        case .welcomed, .refused, .over: return nil
        }
    }

    // MARK: - The way to the leader

    /// Opens the connection that is due, and at first the inquiries.
    mutating func openNext() {
        if configuration.places > 1, !hasInquired {
            hasInquired = true
            effects.append(.openInquiries)
        }
        open(at: choice.next(after: place))
    }

    private mutating func open(at place: Int) {
        self.place = place
        echo = nil
        connection = .opening
        effects.append(.openConnection(at: place))
    }

    /// Goes to another place at once, from the present one.
    private mutating func move(to place: Int) {
        switch connection {
        case .opening, .greeting, .standingBy, .welcomed: effects.append(.closeConnection)
        case .away, .refused, .over: break
        }
        unsent.removeAll()
        open(at: place)
    }

    /// Gives up a connection over which nothing has come for too long.
    mutating func loseSilentConnection(now: Duration, random: UInt64) {
        choice.noteLost(at: currentPlace)
        loseConnection(now: now, random: random)
    }

    /// Goes to the leader that is to be preferred to the present place, by what is known now.
    private mutating func followLeader(now: Duration, random: UInt64) {
        switch connection {
        case .away:
            let next = choice.next(after: place)
            // The worker goes back to a doubted leader at the end of the doubt.
            if next == place, let doubtedSince, now < doubtedSince + Self.doubtPatience { return }
            if case .leading = choice.standings[next] { open(at: next) }
        case .opening, .greeting:
            if let better = choice.better(than: currentPlace) { move(to: better) }
        case .standingBy:
            if let better = choice.better(than: currentPlace) {
                move(to: better)
            } else if case .leading = choice.standings[currentPlace] {
                greet(now: now, random: random)
            }
        case .welcomed:
            if let better = choice.better(than: rank, at: currentPlace) { move(to: better) }
        case .refused, .over:
            break
        }
    }

    // MARK: - What is said about the leader

    /// Takes in what a coordinator says to an inquiry.
    mutating func note(_ leadership: Leadership, at place: Int, now: Duration, random: UInt64) {
        choice.note(judged(leadership), at: place)
        followLeader(now: now, random: random)
    }

    /// Notes that no coordinator answers inquiries at a connected place.
    mutating func noteSilence(at place: Int, now: Duration, random: UInt64) {
        choice.noteSilence(at: place)
        followLeader(now: now, random: random)
    }

    /// Takes in what the coordinator says over the connection of the worker itself.
    mutating func receive(_ leadership: Leadership, now: Duration, random: UInt64) {
        switch connection {
        case .greeting, .standingBy, .welcomed: break
        // The session has left the place since.
        case .away, .opening, .refused, .over: return
        }
        choice.note(judged(leadership), at: currentPlace)
        if leadership.isLeading { return followLeader(now: now, random: random) }
        if case .standingBy = connection { return }
        effects.append(.noteLeader(.standsBy(leader: leadership.leader)))
        let next = choice.next(after: place)
        guard choice.standings[next] == .standingBy else { return move(to: next) }
        connection = .standingBy(since: now)
        unsent.removeAll()
    }

    /// The credible part of an answer: a coordinator that was replaced counts as standing by, whatever it says, and a rank without its
    /// record cannot be compared.
    private func judged(_ leadership: Leadership) -> Leadership {
        guard leadership.isLeading, let rank = leadership.rank else { return leadership }
        guard rank.isWhole else { return Leadership(isLeading: true) }
        guard ranks.isSuperseded(rank, isHigherPresent: false) else { return leadership }
        return Leadership(isLeading: false, rank: ranks.highest)
    }

    // MARK: - The welcome

    /// Whether the worker obeys the coordinator of a welcome; if not, the connection is given up.
    ///
    /// With one place it obeys any: nobody else can be met there.
    mutating func obeys(_ welcome: Welcome, now: Duration, random: UInt64) -> Bool {
        guard configuration.places > 1 else { return true }
        let rank = LeaderRank(welcome)
        if let rank {
            if ranks.isSuperseded(rank, isHigherPresent: choice.hasLeader(above: rank, at: currentPlace)) {
                effects.append(.noteLeader(.superseded(rank)))
                choice.note(Leadership(isLeading: false), at: currentPlace)
                turnAway(now: now, random: random)
                return false
            }
            if ranks.isRestored(rank) {
                if doubts(now: now) { return false }
                effects.append(.noteLeader(.restored(rank)))
            }
            if ranks.note(rank) { effects.append(.keepRanks(ranks)) }
            choice.kept = rank
        }
        doubtedSince = nil
        self.rank = rank
        barringPlaces = []
        choice.note(Leadership(isLeading: true, rank: rank), at: currentPlace)
        return true
    }

    /// Leaves a coordinator that is not obeyed, for a leader if one is known.
    private mutating func turnAway(now: Duration, random: UInt64) {
        if let better = choice.better(than: currentPlace) { return move(to: better) }
        loseConnection(now: now, random: random)
    }

    /// Leaves a coordinator whose record was restored from an earlier copy, or is an older copy of it, as long as the one that the
    /// worker has obeyed may still answer at another place, or has replaced it.
    ///
    /// A restarted worker is welcomed at its first address before the others have answered its questions. To obey an older copy there
    /// for a moment would run again what has run. And whoever was replaced by a leader that has died since goes on until the end of its
    /// lease, although all others only stand by.
    ///
    /// - Returns: whether the connection was given up.
    private mutating func doubts(now: Duration) -> Bool {
        let since = doubtedSince ?? now
        doubtedSince = since
        guard now < since + Self.doubtPatience else { return false }
        effects.append(.closeConnection)
        unsent.removeAll()
        connection = .away(until: since + Self.doubtPatience)
        return true
    }

    // MARK: - Keys

    /// Notes that the keys do not let the worker in at the present place.
    ///
    /// - Returns: whether it was let in nowhere since the last welcome: a wrong key at one of several places is that place's matter.
    mutating func isBarredEverywhere() -> Bool {
        guard configuration.places > 1 else { return true }
        barringPlaces.insert(currentPlace)
        return barringPlaces.count >= configuration.places
    }
}

extension LeaderRank {
    /// The rank of a welcoming coordinator; nil if the welcome tells only a part of the rank.
    fileprivate init?(_ welcome: Welcome) {
        self.init(record: welcome.record, epoch: welcome.epoch, incarnation: welcome.incarnation)
        guard isWhole else { return nil }
    }

    /// Whether the record and the coordinator are known.
    fileprivate var isWhole: Bool { record != .unknown && incarnation != .unknown }
}
