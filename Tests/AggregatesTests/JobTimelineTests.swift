import Foundation
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonAggregates

@Suite("The timeline of a job", .timeLimit(.minutes(60)))
struct JobTimelineTests {
    /// The seeds to play: the single seed in BATON_SEED, or some of them.
    private static let seeds: [UInt64] = {
        let seed = ProcessInfo.processInfo.environment["BATON_SEED"].flatMap { UInt64($0) }
        return seed.map { [$0] } ?? Array(1...20)
    }()

    private func timeline(_ start: JobTimeline, _ pages: HistoryPage...) throws -> TimelineDocument {
        var timeline = start
        for page in pages { timeline.add(page) }
        return try #require(timeline.document)
    }

    @Test("A finished job is shown from its submission to its end, earlier attempts included")
    func finished() throws {
        var page = HistoryPage.sample(finishedAt: 100)
        page.workers = [HistoryWorker(name: "w1", slots: 2)]
        page.operations = [
            .ran(0, "w1", 0, 50), .ran(1, "w1", 25, 100, .failed),
            OperationHistory(first: 2, count: 3, state: .finished),
        ]
        page.operations[2].outcome = .skipped
        page.operations[2].finishedAt = .at(100)
        page.operations[1].attempt = 2
        page.attempts = [
            EarlierAttempt(
                operation: 1,
                attempt: 1,
                worker: "w2",
                startedAt: .at(5),
                endedAt: .at(15),
                reason: .lost
            ),
            // Lost before its start: nothing ran.
            EarlierAttempt(operation: 2, attempt: 1, worker: "w2", startedAt: nil, endedAt: .at(15), reason: .lost),
        ]
        let document = try timeline(JobTimeline(buckets: 4), page)
        #expect(document.from == .at(0) && document.to == .at(100) && document.bucketSeconds == 0.000_025)
        #expect(document.buckets.map(\.finished) == [0, 0, 1, 4] && document.buckets.map(\.failed) == [0, 0, 0, 1])
        #expect(document.buckets.map(\.executing) == [1.4, 2, 1, 1])
        #expect(document.workers.map(\.worker) == ["w1", "w2"] && document.workers.map(\.slots) == [2, nil])
        #expect(document.workers[0].busy == [0.5, 1, 0.5, 0.5] && document.workers[1].busy == [0.4, 0, 0, 0])
        #expect(try JSONDecoder().decode(TimelineDocument.self, from: Data(document.json)) == document)
        let attempts = try #require(document.operations)
        #expect(attempts.map(\.operation.index) == [0, 1, 1] && attempts.map(\.attempt) == [1, 1, 2])
        #expect(attempts.map(\.lane) == [0, 0, 1] && attempts.map(\.outcome) == ["succeeded", "lost", "failed"])
        #expect(
            attempts.map(\.from) == [.at(0), .at(5), .at(25)] && attempts.map(\.to) == [.at(50), .at(15), .at(100)]
        )
    }

    @Test("An attempt has what its worker fetched before, and only such an attempt has the member")
    func fetches() throws {
        var page = HistoryPage.sample(finishedAt: 100)
        page.operations = [.ran(0, "w1", 20, 50), .ran(1, "w1", 60, 100)]
        let plain = try timeline(JobTimeline(), page)
        #expect(!String(decoding: plain.json, as: UTF8.self).contains("\"fetch\""))
        let fetch = FetchRecord(sentAt: .at(5), arrivedAt: .at(19), files: 3, bytes: 5_000_000_000)
        // The second one belongs to an attempt that is not known any more.
        page.fetches = [
            HistoryFetch(operation: 0, attempt: 1, fetch: fetch), HistoryFetch(operation: 1, attempt: 9, fetch: fetch),
        ]
        let document = try timeline(JobTimeline(), page)
        #expect(document.operations?.map(\.fetch) == [TimelineDocument.Fetch(fetch), nil])
        #expect(document.operations?.map(\.from) == plain.operations?.map(\.from))
        #expect(try JSONDecoder().decode(TimelineDocument.self, from: Data(document.json)) == document)
        #expect(String(decoding: document.json, as: UTF8.self).contains("\"bytes\":5000000000"))
    }

    @Test("Earlier and last attempts have the same words for their ends")
    func outcomes() throws {
        var page = HistoryPage.sample(finishedAt: 100)
        page.operations = [.ran(0, "w1", 50, 60, .cancelled), .ran(1, "w1", 60, 70, .failed), .ran(2, "w1", 80, 90)]
        page.operations[1].reason = .lost
        for index in page.operations.indices { page.operations[index].attempt = 3 }
        let reasons: [(Reason.Code, wasStopped: Bool)] = [
            (.lost, false), (.lost, true), (.exit, false), (.timeout, false), (.cancelled, false),
        ]
        page.attempts = reasons.enumerated().map { position, reason in
            let start = Int64(position * 10)
            var attempt = EarlierAttempt(
                operation: UInt32(position / 2),
                attempt: UInt32(position % 2 + 1),
                worker: "w1",
                startedAt: .at(start),
                endedAt: .at(start + 5),
                reason: reason.0
            )
            attempt.wasStopped = reason.wasStopped
            return attempt
        }
        let attempts = try #require(try timeline(JobTimeline(buckets: 1), page).operations)
        #expect(
            attempts.sorted { $0.from < $1.from }.map(\.outcome)
                == ["lost", "stopped", "failed", "failed", "cancelled", "cancelled", "lost", "succeeded"]
        )
    }

    @Test("A job that runs is shown until the moment of the first page, and later moments are left out")
    func running() throws {
        var first = HistoryPage.sample(moment: 80)
        first.operations = [.executing(0, "w1", 40)]
        first.next = 1
        var second = HistoryPage.sample(moment: 200, from: 1)
        second.operations = [.ran(1, "w1", 60, 120, .failed), .ran(2, "w1", 90, 130)]
        let document = try timeline(JobTimeline(buckets: 2), first, second)
        #expect(document.to == .at(80) && document.buckets.map(\.executing) == [0, 1.5])
        #expect(document.buckets.map(\.finished) == [0, 0] && document.buckets.map(\.failed) == [0, 0])
        let attempts = try #require(document.operations)
        #expect(attempts.map(\.operation.index) == [0, 1] && attempts.map(\.outcome) == [nil, nil])
        #expect(attempts.map(\.to) == [.at(80), .at(80)] && attempts.map(\.lane) == [0, 1])
    }

    @Test("A window has what touches it, in buckets of whole microseconds")
    func window() throws {
        var page = HistoryPage.sample(finishedAt: 1_000)
        page.operations = [.ran(0, "w1", 0, 9), .ran(1, "w1", 5, 995), .ran(2, "w1", 12, 15), .ran(3, "w1", 31, 40)]
        let document = try timeline(JobTimeline(from: .at(10), to: .at(30), buckets: 6), page)
        // 20 microseconds in buckets of 4, and none left over.
        #expect(document.bucketSeconds == 0.000_004 && document.buckets.count == 5)
        #expect(document.buckets.map(\.executing) == [1.5, 1.25, 1, 1, 1])
        #expect(document.operations?.map(\.operation.index) == [1, 2] && document.operations?.first?.from == .at(5))
        let odd = try timeline(JobTimeline(from: .at(10), to: .at(21), buckets: 3), page)
        #expect(odd.buckets.count == 3 && odd.buckets.map(\.executing) == [1.5, 1.25, 1])
    }

    @Test("A window without a length, before the submission or behind the end has its beginning and its end")
    func emptyWindows() throws {
        var page = HistoryPage.sample(finishedAt: 0)
        page.operations = [.ran(0, "w1", 0, 0)]
        let instant = try timeline(JobTimeline(), page)
        #expect(instant.buckets == [TimelineDocument.Bucket(finished: 1, failed: 0, executing: 0)])
        #expect(instant.operations?.count == 1)
        let (first, last) = (Timestamp(rawValue: .min), Timestamp(rawValue: .max))
        for (start, end) in [(nil, .at(-50)), (.at(500), nil), (first, first), (last, last), (.at(9), .at(9))]
            as [(Timestamp?, Timestamp?)]
        {
            let document = try timeline(JobTimeline(from: start, to: end, buckets: 600), page)
            #expect(
                document.from < document.to
                    && document.buckets == [TimelineDocument.Bucket(finished: 0, failed: 0, executing: 0)]
            )
        }
    }

    @Test("Above 2,000 attempts in the window there is no list of them, and the figures count all")
    func manyAttempts() throws {
        for count in [JobTimeline.mostAttempts, JobTimeline.mostAttempts + 1] {
            var page = HistoryPage.sample(finishedAt: 100)
            page.operations = (0..<count).map { .ran(UInt32($0), "w1", 0, 100) }
            let document = try timeline(JobTimeline(buckets: 10), page)
            #expect(document.operations?.count == (count > JobTimeline.mostAttempts ? nil : count))
            #expect(document.buckets.allSatisfy { $0.executing == Double(count) })
            #expect(document.buckets.last?.finished == count)
        }
    }

    @Test("Workers beyond the limit, and unknown ones, are one line without a name", arguments: [1, 120, 600])
    func manyWorkers(_ buckets: Int) throws {
        let most = min(JobTimeline.mostWorkers, JobTimeline.mostFigures / buckets)
        var page = HistoryPage.sample(finishedAt: 600)
        page.operations = (0..<most + 7).map { .ran(UInt32($0), "w\($0)", 0, 600) }
        page.operations.append(.ran(UInt32(most) + 7, nil, 0, 600))
        page.workers = (0..<most).map { HistoryWorker(name: "w\($0)", slots: 3) }
        var document = try timeline(JobTimeline(buckets: buckets), page)
        #expect(document.buckets.count == buckets && document.workers.count == most + 1)
        #expect(document.workers.dropLast().allSatisfy { $0.worker != nil && $0.busy.allSatisfy { $0 == 0.333 } })
        #expect(document.workers.last?.worker == nil && document.workers.last?.busy.allSatisfy { $0 == 8 } == true)
        document.operations = nil
        #expect(document.json.count < 300_000)
    }

    @Test("The figures are those of a count by hand for random attempts", arguments: seeds)
    func random(_ seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let length = Int64.random(in: 1...400, using: &random)
        let buckets = Int.random(in: 1...20, using: &random)
        let from = Int64.random(in: -50...300, using: &random)
        let to = from + Int64.random(in: 1...300, using: &random)
        var page = HistoryPage.sample(finishedAt: length)
        page.workers = [HistoryWorker(name: "w0", slots: 3)]
        var attempts: [(worker: Int, start: Int64, end: Int64)] = []
        for index in 0..<UInt32.random(in: 0...60, using: &random) {
            let start = Int64.random(in: 0...length, using: &random)
            let end = Int64.random(in: start...length, using: &random)
            let worker = Int.random(in: 0...2, using: &random)
            attempts.append((worker, start, end))
            page.operations.append(.ran(index, "w\(worker)", start, end))
        }
        let document = try timeline(JobTimeline(from: .at(from), to: .at(to), buckets: buckets), page)
        let width = (to - from + Int64(buckets) - 1) / Int64(buckets)
        for (place, bucket) in document.buckets.enumerated() {
            let low = from + Int64(place) * width
            let high = min(to, low + width)
            let isLast = high == to
            func mean(_ attempts: [(worker: Int, start: Int64, end: Int64)]) -> Double {
                Double(attempts.reduce(0) { $0 + max(0, min($1.end, high) - max($1.start, low)) }) / Double(high - low)
            }
            #expect(abs(bucket.executing - mean(attempts)) < 0.001, "bucket \(place), BATON_SEED=\(seed)")
            let finished = attempts.filter { $0.end >= low && ($0.end < high || isLast && $0.end == high) }.count
            #expect(bucket.finished == finished, "bucket \(place), BATON_SEED=\(seed)")
            for worker in document.workers {
                let own = mean(attempts.filter { "w\($0.worker)" == worker.worker })
                let expected = worker.slots.map { min(1, own / Double($0)) } ?? own
                #expect(abs(worker.busy[place] - expected) < 0.001, "\(worker.worker ?? ""), BATON_SEED=\(seed)")
            }
        }
        #expect(document.buckets.count == Int((to - from + width - 1) / width), "BATON_SEED=\(seed)")
        #expect(document.operations?.count == attempts.filter { $0.start <= to && $0.end >= from }.count)
    }
}
