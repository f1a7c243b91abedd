@_spi(Baton) import BatonAggregates
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
import Synchronization
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("Documents that were made of late", .timeLimit(.minutes(60)))
struct HistoryCacheTests {
    /// A clock that the test moves.
    private final class Clock: Sendable {
        private let time = Mutex(ContinuousClock.now)

        var now: ContinuousClock.Instant { time.withLock { $0 } }

        func advance(by duration: Duration) { time.withLock { $0 += duration } }
    }

    /// Counts the documents that are made, each with its number as its bytes.
    private final class Maker: Sendable {
        private let count = Mutex(0)
        /// The views of each call, in order.
        let asked = Mutex<[[HistoryView]]>([])
        let finishedAt: Timestamp?
        let length: Int

        init(finishedAt: Int64? = nil, length: Int = 0) {
            self.finishedAt = finishedAt.map { Timestamp(rawValue: $0) }
            self.length = length
        }

        var made: Int { count.withLock { $0 } }

        func make() -> HistoryDocument {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return HistoryDocument(
                .json,
                [UInt8(truncatingIfNeeded: number)] + [UInt8](repeating: 0, count: length),
                finishedAt: finishedAt
            )
        }
    }

    private func key(
        _ job: UInt32 = 12,
        _ view: HistoryView = .groups(.name),
        role: Role? = .client
    ) -> HistoryCache.Key {
        HistoryCache.Key(job: JobNumber(job), view: view, role: role)
    }

    /// The number of the document that the cache answers.
    private func number(
        _ cache: HistoryCache,
        _ key: HistoryCache.Key,
        _ maker: Maker,
        finish: Timestamp? = nil
    ) async throws(WebRefusal) -> UInt8? {
        try await cache.document(key) { () throws(WebRefusal) in
            finish
        } make: { views throws(WebRefusal) in
            [views[0]: maker.make()]
        }.bytes.first
    }

    @Test("The document of an unfinished job holds for a second")
    func age() async throws {
        let (clock, maker) = (Clock(), Maker())
        let cache = HistoryCache { clock.now }
        for expected in 1...3 as ClosedRange<UInt8> {
            #expect(try await number(cache, key(), maker) == expected)
            clock.advance(by: .milliseconds(999))
            #expect(try await number(cache, key(), maker) == expected)
            clock.advance(by: .milliseconds(1))
        }
    }

    @Test("The document of a finished job holds until the job is deleted")
    func deletion() async throws {
        let (clock, maker) = (Clock(), Maker(finishedAt: 5))
        let cache = HistoryCache { clock.now }
        let end = maker.finishedAt
        for _ in 0..<3 {
            #expect(try await number(cache, key(), maker, finish: end) == 1)
            clock.advance(by: .seconds(86_400))
        }
        for status in [503, 404, 404] {
            do throws(WebRefusal) {
                _ = try await cache.document(key()) { () throws(WebRefusal) in
                    throw WebRefusal(status, "x", "The answer of the coordinator.")
                } make: { _ throws(WebRefusal) in
                    throw WebRefusal(404, "notFound", "The answer of the coordinator.")
                }
                Issue.record("no refusal")
            } catch {
                #expect(error.status == status)
            }
        }
        // Another job with the number: the record was replaced.
        #expect(try await number(cache, key(), maker, finish: end) == 2)
        #expect(try await number(cache, key(), maker, finish: Timestamp(rawValue: 6)) == 3)
    }

    @Test("Another job, another view, other parameters and another role are other documents")
    func keys() async throws {
        let (cache, maker) = (HistoryCache(), Maker(finishedAt: 5))
        let keys = [
            key(), key(13), key(12, .groups(.queue)), key(12, .graph(.json)), key(12, .graph(.svg)), key(role: .viewer),
            key(role: nil), key(12, .timeline(from: nil, to: nil, buckets: 120)),
            key(12, .timeline(from: nil, to: nil, buckets: 121)),
            key(12, .timeline(from: Timestamp(rawValue: 1), to: nil, buckets: 120)),
        ]
        for round in 1...2 {
            for (place, key) in keys.enumerated() {
                let found = try await number(cache, key, maker, finish: maker.finishedAt)
                #expect(found == UInt8(place + 1), "round \(round)")
            }
        }
    }

    @Test(
        "Clients that ask at a time share one making; who leaves does not end it for the others, and the last one does"
    )
    func sharing() async throws {
        for leaving in 0...3 {
            let (gate, cancelled, maker) = (Latch<Void>(), Latch<Bool>(), Maker())
            let cache = HistoryCache()
            let tasks = (0..<3).map { _ in
                Task {
                    try await cache.document(key()) { () throws(WebRefusal) in
                        nil
                    } make: { views throws(WebRefusal) in
                        await gate.value()
                        cancelled.set(Task.isCancelled)
                        return [views[0]: maker.make()]
                    }.bytes.first
                }
            }
            while cache.clientCount(of: key()) < tasks.count { await Task.yield() }
            for task in tasks.prefix(leaving) { task.cancel() }
            gate.open()
            for task in tasks { #expect(try await task.value == 1) }
            #expect(await cancelled.value() == (leaving == tasks.count))
            #expect(maker.made == 1 && cache.clientCount(of: key()) == 0)
        }
    }

    @Test("A failure of another's making is no answer: the document is made again")
    func failure() async throws {
        let (begun, gate, maker, clock) = (Latch<Void>(), Latch<Void>(), Maker(), Clock())
        // The document of an unfinished job holds for a second, which a busy machine may take between two questions.
        let cache = HistoryCache { clock.now }
        let first = Task {
            try await cache.document(key()) { () throws(WebRefusal) in
                nil
            } make: { _ throws(WebRefusal) in
                begun.open()
                await gate.value()
                throw WebRefusal(503, "unavailable", "The token was revoked.")
            }
        }
        await begun.value()
        let second = Task { try await number(cache, key(), maker) }
        while cache.clientCount(of: key()) < 2 { await Task.yield() }
        gate.open()
        await #expect(throws: WebRefusal.self) { try await first.value }
        #expect(try await second.value == 1)
        #expect(try await number(cache, key(), maker) == 1)
    }

    @Test(
        "What is usual comes with another document, unless it is known or on its way, and who asks meanwhile shares it"
    )
    func companions() async throws {
        let (clock, maker) = (Clock(), Maker())
        let cache = HistoryCache { clock.now }
        let gate = Latch<Void>()
        func document(_ view: HistoryView, isAlone: Bool = false) async throws(WebRefusal) -> UInt8? {
            try await cache.document(key(12, view)) { () throws(WebRefusal) in
                nil
            } make: { views throws(WebRefusal) in
                maker.asked.withLock { $0.append(views) }
                await gate.value()
                let document = maker.make()
                return Dictionary(uniqueKeysWithValues: views.prefix(isAlone ? 1 : 9).map { ($0, document) })
            }.bytes.first
        }
        let first = Task { try await document(.groups(.queue)) }
        while cache.clientCount(of: key(12, .groups(.queue))) < 1 { await Task.yield() }
        let second = Task { try await document(.groups(.worker)) }
        while cache.clientCount(of: key(12, .groups(.worker))) < 2 { await Task.yield() }
        let third = Task { try await document(.graph(.dot)) }
        while cache.clientCount(of: key(12, .graph(.dot))) < 1 { await Task.yield() }
        gate.open()
        let numbers = try await [first.value, second.value]
        #expect(numbers[0] == numbers[1])
        _ = try await third.value
        #expect(try await document(.groups(.name)) == numbers[0])
        // The graph for graphviz came alone, because all else was on its way.
        #expect(maker.asked.withLock { $0 } == [[.groups(.queue)] + HistoryView.usual, [.graph(.dot)]])
        _ = try await document(.graph(.svg))
        #expect(maker.asked.withLock { $0.last } == [.graph(.svg)])
        clock.advance(by: HistoryCache.age)
        _ = try await document(.graph(.svg))
        #expect(maker.asked.withLock { $0.last } == [.graph(.svg)] + HistoryView.usual)
        // A usual view that the last reading did not make is made at the next request for it.
        clock.advance(by: HistoryCache.age)
        _ = try await document(.graph(.svg), isAlone: true)
        let made = maker.made
        #expect(try await document(.groups(.name)) == UInt8(made + 1))
    }

    @Test("A limited number of documents is made at a time, and more are refused")
    func runs() async throws {
        let gate = Latch<Void>()
        let cache = HistoryCache()
        let tasks = (0..<HistoryCache.mostReadings).map { place in
            Task {
                try await cache.document(key(UInt32(place))) { () throws(WebRefusal) in
                    nil
                } make: { views throws(WebRefusal) in
                    await gate.value()
                    return [views[0]: Maker().make()]
                }
            }
        }
        for place in tasks.indices { while cache.clientCount(of: key(UInt32(place))) == 0 { await Task.yield() } }
        do throws(WebRefusal) {
            _ = try await number(cache, key(99), Maker())
            Issue.record("no refusal")
        } catch {
            #expect(error.status == 503 && error.headers["Retry-After"] == "1")
        }
        gate.open()
        for task in tasks { #expect(try await task.value.bytes == [1]) }
        #expect(try await number(cache, key(99), Maker()) == 1)
    }

    @Test("The documents that were not used for the longest time are forgotten, by number and by bytes")
    func limits() async throws {
        for (length, most) in [(0, HistoryCache.mostDocuments), (HistoryCache.mostBytes / 5, 4)] {
            let (cache, maker) = (HistoryCache(), Maker(finishedAt: 5, length: length))
            for job in 1...UInt32(most) { _ = try await number(cache, key(job), maker, finish: maker.finishedAt) }
            // The first one is used again, so that the second one is the oldest.
            #expect(try await number(cache, key(1), maker, finish: maker.finishedAt) == 1)
            _ = try await number(cache, key(1_000), maker, finish: maker.finishedAt)
            #expect(try await number(cache, key(1), maker, finish: maker.finishedAt) == 1)
            #expect(try await number(cache, key(UInt32(most)), maker, finish: maker.finishedAt) == UInt8(most))
            #expect(maker.made == most + 1)
            #expect(try await number(cache, key(2), maker, finish: maker.finishedAt) == UInt8(most + 2))
        }
        let (cache, huge, small) = (
            HistoryCache(), Maker(finishedAt: 5, length: HistoryCache.mostBytes), Maker(finishedAt: 5)
        )
        _ = try await number(cache, key(1), small, finish: small.finishedAt)
        for expected in 1...2 as ClosedRange<UInt8> {
            #expect(try await number(cache, key(2), huge, finish: huge.finishedAt) == expected)
        }
        #expect(try await number(cache, key(1), small, finish: small.finishedAt) == 1)
    }
}
