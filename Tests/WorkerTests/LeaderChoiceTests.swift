@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

extension LeaderRank {
    /// A rank of an epoch; the incarnation is the number of the epoch unless the test gives another incarnation.
    static func test(_ epoch: UInt32, _ incarnation: UInt64? = nil, record: UInt64 = 1) -> LeaderRank {
        LeaderRank(
            record: Incarnation(rawValue: record),
            epoch: epoch,
            incarnation: Incarnation(rawValue: incarnation ?? UInt64(epoch))
        )
    }
}

extension Leadership {
    /// The answer of a coordinator that leads.
    static func leads(_ rank: LeaderRank?) -> Leadership { Leadership(isLeading: true, rank: rank) }

    /// The answer of a coordinator that stands by and knows no leader.
    static let standsBy = Leadership(isLeading: false)
}

@Suite("The choice of the leader among several addresses")
struct LeaderChoiceTests {
    @Test("As long as nothing is known, all places have their turn", arguments: 1...8)
    func turns(places: Int) {
        let choice = LeaderChoice(places: places)
        var (seen, place): ([Int], Int?) = ([], nil)
        for _ in 0..<(2 * places) {
            let next = choice.next(after: place)
            seen.append(next)
            place = next
        }
        #expect(seen == Array(0..<places) + Array(0..<places))
        #expect(choice.better(than: 0) == nil && choice.better(than: nil, at: 0) == nil)
    }

    @Test("Nothing but the leader of the highest epoch of a record is chosen, whatever the order of the news")
    func highest() {
        for seed in 1...UInt64(300) {
            var random = SplitMix(seed: seed)
            let places = Int.random(in: 2...8, using: &random)
            var choice = LeaderChoice(places: places)
            let epochs = (0..<places).map { UInt32($0 + 1) }.shuffled(using: &random)
            let leaders = (0..<places).shuffled(using: &random).prefix(Int.random(in: 1...places, using: &random))
            for place in (0..<places).shuffled(using: &random) {
                let isLeader = leaders.contains(place)
                choice.note(isLeader ? .leads(.test(epochs[place])) : .standsBy, at: place)
                if Bool.random(using: &random) { choice.note(.standsBy, at: place) }
                choice.note(isLeader ? .leads(.test(epochs[place])) : .standsBy, at: place)
            }
            let best = leaders.max { epochs[$0] < epochs[$1] }
            for last in 0..<places {
                #expect(choice.next(after: last) == best, "seed \(seed)")
                #expect(choice.better(than: last) == (last == best ? nil : best), "seed \(seed)")
                let rank = LeaderRank.test(epochs[last])
                let isBeaten = leaders.contains { epochs[$0] > epochs[last] }
                #expect(choice.hasLeader(above: rank, at: last) == isBeaten, "seed \(seed)")
                #expect(choice.better(than: rank, at: last) == (isBeaten ? best : nil), "seed \(seed)")
            }
            // Leaders of one record do not outrank a coordinator of another record.
            #expect(!choice.hasLeader(above: .test(0, record: 2), at: 0))
            #expect(choice.better(than: .test(0, record: 2), at: 0) == nil)
        }
    }

    @Test("A leader without a rank comes before places that stand by or are unknown, and after all leaders with a rank")
    func withoutRank() {
        var choice = LeaderChoice(places: 4)
        choice.note(.standsBy, at: 0)
        choice.noteSilence(at: 2)
        for last in 0..<4 { #expect(choice.next(after: last) == 2) }
        #expect(choice.better(than: 0) == 2 && choice.better(than: 1) == 2 && choice.better(than: 2) == nil)
        #expect(choice.better(than: nil, at: 1) == nil && choice.better(than: .test(1), at: 1) == nil)
        choice.note(.leads(.test(1)), at: 3)
        for last in 0..<4 { #expect(choice.next(after: last) == 3) }
        #expect(choice.better(than: nil, at: 2) == 3)
        choice.noteLost(at: 3)
        #expect(choice.next(after: 3) == 2)
    }

    @Test("Leaders without a rank take turns, and a leader of another record keeps the worker")
    func equals() {
        var choice = LeaderChoice(places: 3)
        choice.noteSilence(at: 0)
        choice.noteSilence(at: 2)
        #expect(choice.next(after: 0) == 2 && choice.next(after: 2) == 0)
        choice.note(.leads(.test(9, record: 1)), at: 0)
        choice.note(.leads(.test(3, record: 2)), at: 2)
        #expect(choice.next(after: 0) == 0 && choice.next(after: 2) == 2)
        #expect(choice.better(than: 0) == nil && choice.better(than: 2) == nil)
    }

    @Test("Of leaders with the same epoch, the one that the worker obeys comes first, and no other", arguments: 2...8)
    func sameEpoch(places: Int) {
        for kept in 0..<places {
            var choice = LeaderChoice(places: places, kept: .test(7, UInt64(kept + 1)))
            for place in 0..<places { choice.note(.leads(.test(7, UInt64(place + 1))), at: place) }
            for last in 0..<places {
                #expect(choice.next(after: last) == kept)
                #expect(choice.better(than: last) == (last == kept ? nil : kept))
                let rank = LeaderRank.test(7, UInt64(last + 1))
                #expect(choice.hasLeader(above: rank, at: last) == (last != kept))
                #expect(choice.better(than: rank, at: last) == (last == kept ? nil : kept))
            }
            // A higher epoch comes before it all the same.
            let next = (kept + 1) % places
            choice.note(.leads(.test(8)), at: next)
            #expect(choice.better(than: .test(7, UInt64(kept + 1)), at: kept) == next)
        }
    }

    @Test("Unknown places come before places that stand by, in turn")
    func unknown() {
        var choice = LeaderChoice(places: 4)
        choice.note(.standsBy, at: 1)
        #expect(choice.next(after: 0) == 2 && choice.next(after: 2) == 3 && choice.next(after: 3) == 0)
        for place in 0..<4 { choice.note(.standsBy, at: place) }
        #expect((0..<4).map { choice.next(after: $0) } == [1, 2, 3, 0])
    }

    @Test("News of places that do not exist changes nothing")
    func outside() {
        var choice = LeaderChoice(places: 2)
        choice.note(.leads(.test(1)), at: 2)
        choice.noteSilence(at: -1)
        choice.noteLost(at: 7)
        #expect(choice == LeaderChoice(places: 2))
    }
}
