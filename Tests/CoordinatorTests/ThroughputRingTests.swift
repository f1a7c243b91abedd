@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonCoordinator

@Suite("What a cluster did lately", .timeLimit(.minutes(60)))
struct ThroughputRingTests {
    private static let start = Timestamp(rawValue: 1_700_000_000_250_000)

    private static func moment(_ number: Int) -> ThroughputRing.Moment {
        ThroughputRing.Moment(
            started: UInt64(number * 3),
            succeeded: number * 2,
            failed: number,
            executing: number % 7,
            ready: number % 5
        )
    }

    @Test("A part has what happened in its second, and a second without a turn has nothing")
    func seconds() {
        var ring = ThroughputRing(at: Self.start)
        #expect(ring.document(ofLast: 10) == ThroughputDocument(bucketSeconds: 1, buckets: []))
        ring.note(Self.moment(1), at: Self.start + .milliseconds(700))
        #expect(ring.document(ofLast: 10).buckets.isEmpty, "the first second is not over")
        ring.note(Self.moment(4), at: Self.start + .milliseconds(800))
        ring.note(Self.moment(5), at: Self.start + .milliseconds(900))
        ring.note(Self.moment(9), at: Self.start + .milliseconds(3_800))
        let buckets = ring.document(ofLast: 10).buckets
        #expect(buckets.map(\.started) == [12, 15, 0, 0])
        #expect(buckets.map(\.succeeded) == [8, 10, 0, 0])
        #expect(buckets.map(\.failed) == [4, 5, 0, 0])
        #expect(buckets.map(\.executing) == [4, 2, 2, 2])
        #expect(buckets.map(\.ready) == [4, 4, 4, 4])
        let first = Timestamp(rawValue: 1_700_000_000_000_000)
        #expect(buckets.map(\.time) == (0..<4).map { first + .seconds($0) })
        #expect(ring.document(ofLast: 2).buckets == Array(buckets.suffix(2)))
    }

    @Test("The sums of the parts are what happened, in seconds and in minutes, and old parts go", arguments: 0..<8)
    func sums(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var ring = ThroughputRing(at: Self.start)
        var now = Self.start
        var number = 0
        var ends: [(second: Int64, number: Int)] = [(now.rawValue / 1_000_000, 0)]
        for _ in 0..<3_000 {
            let step: Int64 =
                Int.random(in: 0..<50, using: &random) == 0
                ? .random(in: 0..<200_000_000, using: &random) : .random(in: 0..<1_500_000, using: &random)
            now = now + .microseconds(step)
            // What happens in a turn belongs to the second before the turn, if that has not been looked at.
            let second = now.rawValue / 1_000_000
            number += .random(in: 0..<5, using: &random)
            if second > ends[ends.count - 1].second { ends.append((second, number)) }
            ring.note(Self.moment(number), at: now)
        }
        let buckets = ring.document(ofLast: 900).buckets
        #expect(buckets.count == 900, "seed \(seed)")
        for (one, next) in zip(buckets, buckets.dropFirst()) { #expect(next.time == one.time + .seconds(1)) }
        #expect(buckets.last.map { $0.time.rawValue / 1_000_000 + 1 } == ends.last?.second)
        let begin = buckets[0].time.rawValue / 1_000_000
        // What happened before a time without turns belongs to the second before it.
        let before = ends.first { $0.second >= begin }?.number ?? 0
        let after = ends.last?.number ?? 0
        #expect(buckets.reduce(0) { $0 + $1.failed } == UInt64(after - before), "seed \(seed)")
        #expect(buckets.reduce(0) { $0 + $1.started } == UInt64(3 * (after - before)), "seed \(seed)")

        let minutes = ring.document(ofLast: 86_400)
        #expect(minutes.bucketSeconds == 60)
        let minute = now.rawValue / 60_000_000
        let inMinutes = ends.first { $0.second / 60 >= minute }?.number ?? after
        #expect(minutes.buckets.reduce(0) { $0 + $1.failed } == UInt64(inMinutes), "seed \(seed)")
        #expect(minutes.buckets.last.map { $0.time.rawValue / 60_000_000 } == minute - 1)
        #expect(minutes.buckets.count <= 1_440)
    }
}
