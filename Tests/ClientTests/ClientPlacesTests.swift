@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonClient

@Suite("The choice among several addresses")
struct ClientPlacesTests {
    private func places(_ count: Int) throws -> ClientPlaces {
        let text = (1...count).map { "tcp://127.0.0.1:\($0)" }.joined(separator: ",")
        return ClientPlaces(try #require(EndpointList(text)))
    }

    /// What the coordinator of a place has said last.
    private enum Saying {
        case nothing
        case leading(LeaderRank?)
        case standingBy
    }

    @Test("A single address is no choice, also if it was given twice or is malformed")
    func single() throws {
        for text in ["tcp://a:1", "tcp://a:1, tcp://a:1", "nonsense", "tcp://a:1,nonsense"] {
            #expect(ClientPlaces(EndpointList(asGiven: text)).list.isEmpty, "\(text)")
        }
    }

    @Test("The present place is left for a higher epoch of its record alone, and not for another record")
    func records() throws {
        var places = try places(3)
        func rank(_ record: UInt64, _ epoch: UInt32) -> LeaderRank {
            LeaderRank(
                record: Incarnation(rawValue: record),
                epoch: epoch,
                incarnation: Incarnation(rawValue: record * 100 + UInt64(epoch))
            )
        }
        places.noteLeading(rank(1, 5), at: 1, now: .now)
        #expect(places.best == 1)
        _ = places.choose(1)
        places.noteLeading(rank(2, 9), at: 0, now: .now)
        #expect(places.best == 1)
        places.noteLeading(rank(1, 5), at: 2, now: .now)
        #expect(places.best == 1)
        places.noteLeading(rank(1, 6), at: 2, now: .now)
        #expect(places.best == 2)
        _ = places.choose(2)
        places.noteClosed(2, until: .now)
        // The older copy is not obeyed again; the other record is.
        #expect(places.best == 0)
        places.noteClosed(0, until: .now)
        #expect(places.best == nil)
        #expect(places.superseded == ["tcp://127.0.0.1:2"])
        #expect(!places.isSettled)
        places.list[0].error = .closed
        places.noteStandby(at: 2, now: .now)
        #expect(places.isSettled)
        #expect(places.standbys == ["tcp://127.0.0.1:3"])
    }

    @Test("A coordinator that tells no rank is behind all that do, and a hello that was sent again must be answered")
    func withoutRank() throws {
        var places = try places(2)
        places.noteLeading(nil, at: 0, now: .now)
        _ = places.choose(0)
        let rank = LeaderRank(record: Incarnation(rawValue: 1), epoch: 1, incarnation: Incarnation(rawValue: 2))
        places.noteLeading(rank, at: 1, now: .now)
        #expect(places.best == 1)
        places.noteHello(at: 1, now: .now)
        #expect(places.best == 0)
        places.noteStandby(at: 1, now: .now)
        places.noteHello(at: 1, now: .now)
        #expect(places.standbys == ["tcp://127.0.0.1:2"], "it is still known to stand by")
    }

    @Test(
        "Whatever the coordinators say, the best place is one that leads, and never below the highest epoch seen",
        arguments: 0..<200
    )
    func anything(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed))
        let count = Int.random(in: 2...8, using: &random)
        var places = try places(count)
        var said = [Saying](repeating: .nothing, count: count)
        var highest: [Incarnation: UInt32] = [:]
        for step in 0..<200 {
            let place = Int.random(in: 0..<count, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                places.noteClosed(place, until: .now)
                said[place] = .nothing
            case 1:
                places.noteStandby(at: place, now: .now)
                said[place] = .standingBy
            case 2:
                places.noteHello(at: place, now: .now)
                if case .leading = said[place] { said[place] = .nothing }
            case 3:
                if let best = places.best { _ = places.choose(best) }
            case 4:
                places.noteLeading(nil, at: place, now: .now)
                said[place] = .leading(nil)
            default:
                let rank = LeaderRank(
                    record: Incarnation(rawValue: .random(in: 1...2, using: &random)),
                    epoch: .random(in: 1...6, using: &random),
                    incarnation: Incarnation(rawValue: .random(in: 1...9, using: &random))
                )
                places.noteLeading(rank, at: place, now: .now)
                said[place] = .leading(rank)
                highest[rank.record] = max(highest[rank.record] ?? 0, rank.epoch)
            }
            func mayBeObeyed(_ place: Int) -> Bool {
                guard case .leading(let rank) = said[place] else { return false }
                return rank.map { $0.epoch >= highest[$0.record] ?? 0 } ?? true
            }
            func isRanked(_ place: Int) -> Bool {
                if case .leading(.some) = said[place] { true } else { false }
            }
            let candidates = (0..<count).filter(mayBeObeyed)
            guard let best = places.best else {
                #expect(candidates.isEmpty, "step \(step)")
                continue
            }
            #expect(candidates.contains(best), "step \(step)")
            // Whoever tells a rank comes before those that do not.
            if candidates.contains(where: isRanked) { #expect(isRanked(best), "step \(step)") }
            if let present = places.present, candidates.contains(present), isRanked(present) {
                #expect(best == present, "step \(step)")
            }
        }
    }
}
