@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Foundation
import Testing

@_spi(Baton) @testable import BatonAggregates

@Suite("Groups of a job", .timeLimit(.minutes(60)))
struct JobGroupsTests {
    private func groups(_ criterion: JobGroups.Criterion, _ pages: HistoryPage...) throws -> GroupsDocument {
        var groups = JobGroups(by: criterion)
        for page in pages { groups.add(page) }
        return try #require(groups.document)
    }

    /// Two pages of a job: the array `sweep` reaches from one to the other.
    private var pages: (HistoryPage, HistoryPage) {
        var first = HistoryPage.sample()
        let array = HistoryEntry(
            first: 3,
            count: 6,
            name: "sweep1",
            queue: "wide",
            numbering: .steps(first: 0, step: 1)
        )
        first.entries = [
            HistoryEntry(first: 0, name: "tile_1"), HistoryEntry(first: 1, name: "join"),
            HistoryEntry(first: 2, name: "tile_22"), array,
        ]
        first.operations = [
            .ran(0, "w1", 0, 4_000_000), .ran(1, "w2", 0, 1_000, .failed, reason: .exit),
            .ran(2, "w1", 5, 2_000_005, .failed, reason: .timeout), .executing(3, "w1", 7),
        ]
        first.next = 4
        var second = HistoryPage.sample(from: 4)
        second.entries = [array, HistoryEntry(first: 9, queue: "wide"), HistoryEntry(first: 10, queue: "narrow")]
        // Elements of the array and an operation behind it have one history.
        second.operations = [
            OperationHistory(first: 4, count: 6, state: .ready), .ran(10, "w1", 0, 10, .failed, reason: .exit),
        ]
        return (first, second)
    }

    @Test("By name, an array is one group, and so are names that differ in numbers; failures come first, then size")
    func byName() throws {
        let document = try groups(.name, pages.0, pages.1)
        #expect(document.groups.map(\.name) == ["tile_*", nil, "join", "sweep1"])
        #expect(document.groups.map(\.first.description) == ["12/0", "12/9", "12/1", "12/3"])
        #expect(document.groups.map(\.size) == [2, 2, 1, 6] && document.more == 0)
        #expect(document.groups.map(\.counts.failed) == [1, 1, 1, 0])
        #expect(document.groups[3].counts.executing == 1 && document.groups[3].counts.ready == 5)
        #expect(document.groups.map(\.seconds?.p50) == [2, 0.000_01, 0.001, nil])
        #expect(document.groups[0].seconds == GroupsDocument.Seconds(p50: 2, p95: 4, max: 4, sum: 6))
        #expect(try JSONDecoder().decode(GroupsDocument.self, from: Data(document.json)) == document)
    }

    @Test("By reason, worker and queue, operations without one are a group without a name")
    func byOthers() throws {
        let reasons = try groups(.reason, pages.0, pages.1)
        #expect(reasons.groups.map(\.name) == ["exit", "timeout", nil] && reasons.groups.map(\.size) == [2, 1, 8])
        let workers = try groups(.worker, pages.0, pages.1)
        #expect(workers.groups.map(\.name) == ["w1", "w2", nil] && workers.groups.map(\.size) == [4, 1, 6])
        let queues = try groups(.queue, pages.0, pages.1)
        #expect(queues.groups.map(\.name) == ["default", "narrow", "wide"])
        #expect(queues.groups.map(\.size) == [3, 1, 7])
    }

    @Test("An operation that was cancelled while it waited for its next attempt has no run time")
    func cancelledRetry() throws {
        var page = HistoryPage.sample()
        page.entries = (0..<3).map { HistoryEntry(first: $0, name: "a\($0)") }
        var cancelled = OperationHistory.ran(1, "w1", 10, 90, .cancelled, reason: .cancelled)
        cancelled.attempt = 2
        var retried = OperationHistory.ran(2, "w1", 50, 57)
        retried.attempt = 2
        page.operations = [.ran(0, "w1", 0, 5), cancelled, retried]
        for (operation, attempt) in [(1, 1), (1, 2), (2, 1)] as [(UInt32, UInt32)] {
            page.attempts.append(
                EarlierAttempt(
                    operation: operation,
                    attempt: attempt,
                    worker: "w1",
                    startedAt: .at(10),
                    endedAt: .at(20),
                    reason: .exit
                )
            )
        }
        let group = try #require(try groups(.name, page).groups.first)
        #expect(group.name == "a*" && group.size == 3 && group.counts.cancelled == 1)
        #expect(group.seconds == GroupsDocument.Seconds(p50: 0.000_005, p95: 0.000_007, max: 0.000_007, sum: 0.000_012))
    }

    @Test("Behind 500 groups the operations of the others are counted, and behind 10,000 no group is kept")
    func limits() throws {
        let count = JobGroups.mostKnown + 30
        var page = HistoryPage.sample()
        for place in 0..<UInt32(count) {
            // Letters, because numbers would be folded.
            let name = String(place, radix: 16).map { String(UnicodeScalar(UInt8($0.hexDigitValue ?? 0) + 97)) }
                .joined()
            page.entries.append(HistoryEntry(first: place * 2, name: name))
            page.entries.append(HistoryEntry(first: place * 2 + 1, name: name))
        }
        page.operations = [OperationHistory(first: 0, count: UInt32(count) * 2)]
        let document = try groups(.name, page)
        #expect(document.groups.count == 500 && document.groups.allSatisfy { $0.size == 2 })
        #expect(document.more == (count - 500) * 2)
        #expect(document.groups.first?.first == OperationID(job: JobNumber(12), index: 0))
    }

    @Test("A worker's pace compares operations of the same names, and not the operations that it happens to run")
    func pace() throws {
        var page = HistoryPage.sample()
        let arrays =
            [HistoryEntry(first: 0, count: 40, name: "short", numbering: .steps(first: 0, step: 1))]
            + (40..<60).map { HistoryEntry(first: $0, name: "long_\($0)") }
            + (60..<80).map { HistoryEntry(first: $0) } + [HistoryEntry(first: 80, name: "alone")]
        page.entries = arrays
        func time(_ index: UInt32, on worker: String) -> Int64 {
            // Each operation takes three times as long on w3; w1 has most of the long ones.
            let usual: Int64 = index < 40 ? 10 + Int64(index % 3) : index < 60 ? 5_000 : 90_000
            return worker == "w3" ? usual * 3 : usual
        }
        for index: UInt32 in 0...80 {
            let worker =
                index == 80 ? "w2" : index >= 40 && index < 60 && index % 5 != 0 ? "w1" : "w\(index / 3 % 3 + 1)"
            page.operations.append(.ran(index, worker, 7, 7 + time(index, on: worker)))
        }
        // One that fails at once says nothing about the worker.
        page.operations[1] = .ran(1, "w1", 0, 1, .failed, reason: .exit)
        let document = try groups(.worker, page)
        let paces = Dictionary(uniqueKeysWithValues: document.groups.map { ($0.name, $0.pace) })
        let (slow, fast, mixed) = (
            try #require(paces["w3"] ?? nil), try #require(paces["w2"] ?? nil), try #require(paces["w1"] ?? nil)
        )
        #expect((2.5...3.2).contains(slow), "\(slow)")
        #expect(fast < 1 && mixed < 1.1, "\(fast) \(mixed)")
        #expect(try groups(.name, page).groups.allSatisfy { $0.pace == nil })
        page.operations = Array(page.operations.prefix(4))
        #expect(try groups(.worker, page).groups.allSatisfy { $0.pace == nil }, "too few to compare")
    }

    @Test("Without a page there is no document, and without operations an empty one")
    func empty() throws {
        #expect(JobGroups(by: .name).document == nil)
        #expect(try groups(.worker, HistoryPage.sample()) == GroupsDocument(groups: [], more: 0))
    }
}
