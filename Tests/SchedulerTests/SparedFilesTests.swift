@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("What a worker keeps although nobody needs it", .timeLimit(.minutes(60)))
struct SparedFilesTests {
    @Test("Each content goes at its own time, in groups of any size and order", arguments: 0..<20 as Range<UInt64>)
    func times(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var spared = SparedFiles()
        var expected: [ContentDigest: Timestamp] = [:]
        var timers: [Timestamp] = []
        var now = Timestamp(rawValue: 1_000_000)
        for _ in 0..<300 {
            now = now + .seconds(Int64.random(in: 0...60, using: &random))
            // Whatever is due is taken first, as by the timers of the scheduler.
            while let due = timers.min(), due <= now {
                timers.remove(at: timers.firstIndex(of: due) ?? 0)
                guard let (digests, later) = spared.takeFirst(endedAt: due) else {
                    Issue.record("A timer has no group.")
                    return
                }
                timers += later
                for digest in digests {
                    let end = expected.removeValue(forKey: digest)
                    #expect(end.map { $0 <= due } ?? false)
                }
            }
            let rest = spared.takeFirst(endedAt: now)
            #expect(rest == nil && spared.count == timers.count)
            #expect(expected.values.allSatisfy { $0 > now })
            let digests = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                KeptFile("x", UInt64.random(in: 0..<20, using: &random)).digest
            }
            let end = now + .seconds(300)
            for digest in digests { expected[digest] = end }
            if spared.spare(Array(Set(digests)), until: end) { timers.append(end) }
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let bound = now + .seconds(Int64.random(in: 0...300, using: &random))
                var later: [Timestamp] = []
                let digest = spared.takeOldest(endingBy: bound, later: &later)
                timers += later
                let least = expected.values.min()
                guard let digest else {
                    #expect(least.map { $0 > bound } ?? true)
                    continue
                }
                let end = expected.removeValue(forKey: digest)
                #expect(end == least && !spared.contains(digest))
            }
            guard Int.random(in: 0..<4, using: &random) == 0, let digest = expected.keys.min() else { continue }
            expected[digest] = nil
            spared.remove([digest])
        }
    }
}
