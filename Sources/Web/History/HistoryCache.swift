@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
import Synchronization

/// The documents that were made of jobs' histories of late, so that many clients cost as much as one.
///
/// The document of a finished job holds for as long as the job exists, because nothing changes the history any more; a retry makes
/// another job. That of an unfinished job holds for a second. Clients that ask for one document at a time share its making, which
/// ends early when all of them have left.
final class HistoryCache: Sendable {
    /// What a document is, and who may read it.
    struct Key: Hashable, Sendable {
        /// The job.
        let job: JobNumber
        /// The kind of document with its parameters.
        let view: HistoryView
        /// The role of the reader: no role gets what was made for another.
        let role: Role?
    }

    /// How long the document of an unfinished job holds.
    static let age = Duration.seconds(1)
    /// The most documents.
    static let mostDocuments = 64
    /// The most bytes of all documents.
    static let mostBytes = 16 << 20
    /// The most documents that are made at the same time.
    static let mostRuns = 8

    private typealias Made = Result<HistoryDocument, WebRefusal>

    private struct Entry {
        var document: HistoryDocument
        var madeAt: ContinuousClock.Instant
        /// The number of the last use.
        var use: UInt64
    }

    /// The making of a document.
    private struct Run {
        var number: UInt64
        var task: Task<Made, Never>
        /// The number of clients that wait.
        var clients: Int
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var byteCount = 0
        var runs: [Key: Run] = [:]
        /// Counts uses and runs.
        var number: UInt64 = 0

        mutating func nextNumber() -> UInt64 {
            number += 1
            return number
        }

        mutating func remove(_ key: Key) {
            byteCount -= entries.removeValue(forKey: key)?.document.bytes.count ?? 0
        }
    }

    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// - Parameter now: the clock, for tests.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    /// The document of a key: a known one that still holds, or a new one.
    ///
    /// - Parameters:
    ///   - finish: when the job was finished, as the coordinator knows now.
    ///   - make: makes the document.
    func document(
        _ key: Key,
        finish: () async throws(WebRefusal) -> Timestamp?,
        make: @escaping @Sendable () async throws(WebRefusal) -> HistoryDocument
    ) async throws(WebRefusal) -> HistoryDocument {
        if let known = try await known(key, finish: finish) { return known }
        while true {
            guard let (run, isOwn) = join(key, make) else {
                throw WebRefusal(
                    503,
                    "unavailable",
                    "Too many views of jobs are being made. Try again later.",
                    headers: ["Retry-After": "1"]
                )
            }
            let made = await withTaskCancellationHandler {
                await run.task.value
            } onCancel: {
                leave(key, run.number)
            }
            switch made {
            case .success(let document): return document
            // The other client may have left, or lost its token.
            case .failure(let refusal): guard !isOwn, !Task.isCancelled else { throw refusal }
            }
        }
    }

    /// The number of clients that wait for a document which is being made.
    func clientCount(of key: Key) -> Int { state.withLock { $0.runs[key]?.clients ?? 0 } }

    /// The known document of a key, if it holds.
    private func known(
        _ key: Key,
        finish: () async throws(WebRefusal) -> Timestamp?
    ) async throws(WebRefusal) -> HistoryDocument? {
        let entry = state.withLock { state in
            let use = state.nextNumber()
            state.entries[key]?.use = use
            return state.entries[key]
        }
        guard let entry else { return nil }
        guard let finishedAt = entry.document.finishedAt else {
            return now() - entry.madeAt < Self.age ? entry.document : nil
        }
        do throws(WebRefusal) {
            if try await finish() == finishedAt { return entry.document }
        } catch {
            if error.status == 404 { state.withLock { $0.remove(key) } }
            throw error
        }
        return nil
    }

    /// Joins the making of a document, or begins it; nil if too many are being made.
    private func join(
        _ key: Key,
        _ make: @escaping @Sendable () async throws(WebRefusal) -> HistoryDocument
    ) -> (run: Run, isOwn: Bool)? {
        state.withLock { state in
            if state.runs[key] != nil {
                state.runs[key]?.clients += 1
                return state.runs[key].map { ($0, false) }
            }
            guard state.runs.count < Self.mostRuns else { return nil }
            let number = state.nextNumber()
            let task = Task {
                let made: Made
                do throws(WebRefusal) { made = .success(try await make()) } catch { made = .failure(error) }
                end(key, number, made)
                return made
            }
            let run = Run(number: number, task: task, clients: 1)
            state.runs[key] = run
            return (run, true)
        }
    }

    /// A client has left; behind the last one, the making ends.
    private func leave(_ key: Key, _ number: UInt64) {
        let task = state.withLock { state -> Task<Made, Never>? in
            guard var run = state.runs[key], run.number == number else { return nil }
            run.clients -= 1
            state.runs[key] = run.clients > 0 ? run : nil
            return run.clients > 0 ? nil : run.task
        }
        task?.cancel()
    }

    /// Keeps the document that was made, and forgets the ones that were not used for the longest time.
    private func end(_ key: Key, _ number: UInt64, _ made: Made) {
        let madeAt = now()
        state.withLock { state in
            if state.runs[key]?.number == number { state.runs[key] = nil }
            guard case .success(let document) = made, document.bytes.count <= Self.mostBytes else { return }
            state.remove(key)
            state.entries[key] = Entry(document: document, madeAt: madeAt, use: state.nextNumber())
            state.byteCount += document.bytes.count
            while state.entries.count > Self.mostDocuments || state.byteCount > Self.mostBytes {
                guard let oldest = state.entries.min(by: { $0.value.use < $1.value.use })?.key else { return }
                state.remove(oldest)
            }
        }
    }
}
