@_spi(Baton) import BatonWire

/// Chooses, among the addresses of a worker, the one at which the coordinator leads.
///
/// A place is the number of an address in the worker's list. What is known of the places comes from inquiries, and from the
/// answers to hellos.
struct LeaderChoice: Hashable, Sendable {
    /// What is known of a place.
    enum Standing: Hashable, Sendable {
        /// Nothing: nobody has answered there yet, or the connection was lost since.
        case unknown
        /// A coordinator leads there; one of an early version does not tell its rank.
        case leading(LeaderRank?)
        /// The coordinator at the place stands by, or a coordinator of a higher epoch has replaced it.
        case standingBy
    }

    /// What is known of each place.
    private(set) var standings: [Standing]
    /// The coordinator that the worker has obeyed last; nil before the first.
    var kept: LeaderRank?

    /// Knows nothing of these places, at least one.
    ///
    /// - Parameters:
    ///   - places: the number of addresses.
    ///   - kept: the coordinator that the worker has obeyed last; nil before the first.
    init(places: Int, kept: LeaderRank? = nil) {
        standings = Array(repeating: .unknown, count: max(1, places))
        self.kept = kept
    }

    // MARK: - What is learnt

    /// Notes what a coordinator says at a place.
    mutating func note(_ leadership: Leadership, at place: Int) {
        guard standings.indices.contains(place) else { return }
        standings[place] = leadership.isLeading ? .leading(leadership.rank) : .standingBy
    }

    /// Notes that a place is connected, and that no coordinator answers inquiries there, as coordinators of early versions do not.
    ///
    /// The place then counts as that of a leader, behind the places of all leaders that tell their rank.
    mutating func noteSilence(at place: Int) {
        guard standings.indices.contains(place) else { return }
        standings[place] = .leading(nil)
    }

    /// Notes that nothing is known of a place any more.
    mutating func noteLost(at place: Int) {
        guard standings.indices.contains(place) else { return }
        standings[place] = .unknown
    }

    // MARK: - What follows

    /// The place of the next connection: the leading one of the highest rank, else the next unknown one in turn, else the next one.
    ///
    /// - Parameter place: the place of the last connection; nil before the first.
    func next(after place: Int?) -> Int {
        let turn = turn(after: place)
        return leader(in: turn, last: place) ?? turn.first { standings[$0] == .unknown } ?? turn.first ?? 0
    }

    /// Another place whose leader comes before the coordinator at a place.
    ///
    /// - Parameter rank: the rank of the coordinator at the place; nil if it has not told any, behind all that have.
    func better(than rank: LeaderRank?, at place: Int) -> Int? {
        guard let best = leader(in: turn(after: place), last: place), best != place,
            isAhead(standings[best], of: .leading(rank))
        else { return nil }
        return best
    }

    /// Another place whose leader is to be preferred to what is known of a place, at which no coordinator has welcomed the worker.
    func better(than place: Int) -> Int? {
        guard standings.indices.contains(place), let best = leader(in: turn(after: place), last: place), best != place,
            isAhead(standings[best], of: standings[place])
        else { return nil }
        return best
    }

    /// Whether a coordinator that comes before the one at a place leads at another place now.
    func hasLeader(above rank: LeaderRank, at place: Int) -> Bool {
        standings.indices.contains { index in
            guard index != place, case .leading(let other?) = standings[index] else { return false }
            return comes(other, before: rank)
        }
    }

    /// All places, beginning with the one after a place.
    private func turn(after place: Int?) -> [Int] {
        let first = place.map { ($0 + 1) % standings.count } ?? 0
        return standings.indices.map { (first + $0) % standings.count }
    }

    /// The leading place behind no other one.
    ///
    /// Among equals, a leader that has told its rank keeps the worker, and those that have not take turns: what answers no inquiry
    /// may be no coordinator at all.
    private func leader(in turn: [Int], last: Int?) -> Int? {
        let best = turn.filter { place in
            isLeading(standings[place]) && !turn.contains { isAhead(standings[$0], of: standings[place]) }
        }
        if let last, best.contains(last), standings[last] != .leading(nil) { return last }
        return best.first
    }

    private func isLeading(_ standing: Standing) -> Bool {
        if case .leading = standing { true } else { false }
    }

    /// Whether a place is to be preferred to another one in any case.
    private func isAhead(_ standing: Standing, of other: Standing) -> Bool {
        switch (standing, other) {
        case (.leading, .unknown), (.leading, .standingBy), (.leading(.some), .leading(.none)): true
        case (.leading(let rank?), .leading(let other?)): comes(rank, before: other)
        case (.unknown, _), (.standingBy, _), (.leading(.none), .leading): false
        }
    }

    /// Whether a leader is to be preferred to another one: by its epoch, or because the worker obeys it already.
    ///
    /// Two copies of a record that were started equally often have the same epoch, and what the worker has done for the one is unknown
    /// to the other.
    private func comes(_ rank: LeaderRank, before other: LeaderRank) -> Bool {
        if rank.record == other.record, rank.epoch == other.epoch { return rank == kept && rank != other }
        return rank.outranks(other)
    }
}
