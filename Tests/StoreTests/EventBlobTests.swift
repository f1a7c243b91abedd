@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

@Suite("Events as bytes", .timeLimit(.minutes(60)))
struct EventBlobTests {
    private func bytes(_ events: [ClusterEvent]) -> [UInt8] {
        var writer = EventBlob.Writer()
        for event in events { writer.append(event) }
        return writer.bytes
    }

    private func read(_ bytes: [UInt8], _ first: UInt64, _ last: UInt64) throws(SQLError) -> [ClusterEvent] {
        try bytes.withUnsafeBufferPointer { bytes throws(SQLError) in
            try EventBlob.read(bytes, first: first, last: last)
        }
    }

    /// Some events, and the number of the last of them.
    private func events(_ count: Int, _ random: inout SplitMix) -> (events: [ClusterEvent], last: UInt64) {
        var next: UInt64 = 1
        let events = (0..<count).map { _ in
            let event = random.event(next)
            next += event.count
            return event
        }
        return (events, next - 1)
    }

    @Test("Random events are read as they were written")
    func roundTrips() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        for _ in 0..<200 {
            let (events, last) = events(.random(in: 1...30, using: &random), &random)
            #expect(try read(bytes(events), 1, last) == events, "seed \(seed)")
        }
    }

    @Test("Events with extreme values are read as they were written")
    func holdsExtremes() throws {
        var counts = JobCounts()
        for outcome in Outcome.allCases { counts[outcome] = .max }
        let all = QueueSettings(maxConcurrent: .max, isSuspended: true, total: .max)
        let changes: [ClusterEvent.OperationChange] = [
            .state(.finished, outcome: .skipped, attempt: .max, worker: ""),
            .state(.pending, outcome: nil, attempt: 0, worker: nil),
            .progress(OperationProgress(fraction: 1, message: String(repeating: "🎈", count: 10_000))),
            .progress(OperationProgress(fraction: 0)), .priority(.veryLow), .priority(.veryHigh), .held(true),
            .held(false), .paused(true), .paused(false), .signalled(.window),
        ]
        let id = OperationID(job: JobNumber(.max), index: .max)
        let subjects: [ClusterEvent.Subject] =
            [
                .jobSubmitted(JobNumber(.max), operations: .max), .jobFinished(JobNumber(.max), counts),
                .queue("", all),
                .queue("q", QueueSettings(maxConcurrent: 0)), .operations(OperationID(1, 0), count: .max, .cancelled),
            ] + changes.map { .operations(id, count: 1, $0) }
        let times: [Int64] = [.min, .max, 0, -1, .min]
        var next: UInt64 = 1
        let events = subjects.enumerated().map { position, subject in
            let time = Timestamp(rawValue: times[position % times.count])
            defer { next += ClusterEvent(sequence: 1, time: time, subject: subject).count }
            return ClusterEvent(sequence: next, time: time, subject: subject)
        }
        #expect(try read(bytes(events), 1, next - 1) == events)
    }

    @Test("Events with negative limits and counts are written, and are read with zeros in their place")
    func writesImpossibleValues() throws {
        let settings = QueueSettings(maxConcurrent: -3, total: -1)
        var counts = JobCounts()
        counts.failed = -7
        let events = [
            ClusterEvent(sequence: 1, time: .at(1), subject: .queue("q", settings)),
            ClusterEvent(sequence: 2, time: .at(1), subject: .jobFinished(JobNumber(1), counts)),
        ]
        let expected = [
            ClusterEvent(sequence: 1, time: .at(1), subject: .queue("q", QueueSettings(maxConcurrent: 0, total: 0))),
            ClusterEvent(sequence: 2, time: .at(1), subject: .jobFinished(JobNumber(1), JobCounts())),
        ]
        #expect(try read(bytes(events), 1, 2) == expected)
    }

    @Test("Events that are cut off, or that do not fill their range of numbers, are refused")
    func refusesTruncation() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        let (events, last) = events(40, &random)
        let bytes = bytes(events)
        for length in 0..<bytes.count {
            #expect(throws: SQLError.self, "seed \(seed), \(length) bytes") {
                try read(Array(bytes[..<length]), 1, last)
            }
        }
        #expect(throws: SQLError.self) { try read(bytes, 1, last - 1) }
        #expect(throws: SQLError.self) { try read(bytes, 2, last) }
    }

    @Test("Damaged events are read with the same count of numbers, or refused as corrupt")
    func survivesDamage() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        for _ in 0..<3000 {
            let (events, last) = events(.random(in: 1...6, using: &random), &random)
            var bytes = bytes(events)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            do throws(SQLError) {
                let read = try read(bytes, 1, last)
                #expect(read.reduce(0) { $0 + $1.count } == last, "seed \(seed)")
            } catch {
                #expect(error.code == .corrupt, "seed \(seed)")
            }
        }
    }
}
