@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Synchronization
import Testing

@_spi(Baton) @testable import BatonWeb

/// A coordinator with one job: it serves the pages of the job's history, and can delete the job.
final class HistoryCluster: WebCluster, WebConnection {
    private struct State {
        var pages: [HistoryPage]
        var isDeleted = false
        var asked: [UInt32] = []
        var probes = 0
    }

    private let state: Mutex<State>
    /// Called with the first operation of each page before the page is answered.
    private let before: @Sendable (UInt32) async -> Void

    init(_ pages: [HistoryPage], before: @escaping @Sendable (UInt32) async -> Void = { _ in }) {
        state = Mutex(State(pages: pages))
        self.before = before
    }

    /// The first operations of the pages that were asked for, in order.
    var asked: [UInt32] { state.withLock { $0.asked } }

    /// The number of questions whether the job is there.
    var probes: Int { state.withLock { $0.probes } }

    func delete() { state.withLock { $0.isDeleted = true } }

    var newestEvent: UInt64 { 70 }

    func connect(by key: AuthorizedKey?) -> any WebConnection { self }

    func close() {}

    func ask(_ request: Request) async -> Reply? {
        switch request {
        case .history(let selection):
            let isProbe = selection.from == .max
            if !isProbe { await before(selection.from) }
            return state.withLock { state in
                if isProbe { state.probes += 1 } else { state.asked.append(selection.from) }
                guard !state.isDeleted, let head = state.pages.first, selection.job == head.job else {
                    return .refused(Refusal(.notFound, "There is no job \(selection.job)."))
                }
                if isProbe {
                    var end = HistoryPage.sample()
                    end.finishedAt = head.finishedAt
                    return .history(end)
                }
                return state.pages.first { $0.from == selection.from }.map { .history($0) }
            }
        default: return nil
        }
    }
}

extension HistoryPage {
    /// A page of job 12, with times in microseconds since 1970.
    static func sample(from: UInt32 = 0, finishedAt: Int64? = nil) -> HistoryPage {
        HistoryPage(
            job: JobNumber(12),
            name: "sweep",
            coordinator: "tcp://127.0.0.1:7461",
            version: "1",
            submittedAt: Timestamp(rawValue: 0),
            finishedAt: finishedAt.map { Timestamp(rawValue: $0) },
            moment: Timestamp(rawValue: 1_000),
            counts: JobCounts(),
            from: from
        )
    }

    /// The pages of an array whose elements ran one after the other, for ten microseconds each.
    static func array(_ count: UInt32, pageLength: UInt32) -> [HistoryPage] {
        stride(from: 0, to: count, by: Int(pageLength)).map { first in
            var page = sample(from: first, finishedAt: Int64(count) * 10)
            page.counts.succeeded = Int(count)
            page.entries = [HistoryEntry(first: 0, count: count, name: "tile", numbering: .steps(first: 1, step: 1))]
            let end = min(count, first + pageLength)
            page.operations = (first..<end).map { index in
                var operation = OperationHistory(first: index, state: .finished)
                (operation.outcome, operation.attempt, operation.worker) = (.succeeded, 1, "w1")
                operation.startedAt = Timestamp(rawValue: Int64(index) * 10)
                operation.finishedAt = Timestamp(rawValue: Int64(index) * 10 + 10)
                return operation
            }
            page.next = end < count ? end : nil
            return page
        }
    }
}
