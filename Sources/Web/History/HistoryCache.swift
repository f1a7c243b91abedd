@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
import Synchronization

/// The documents that were made of jobs' histories of late, so that many clients cost as much as one.
///
/// The document of a finished job holds for as long as the job exists, because nothing changes the history any more; a retry makes
/// another job. That of an unfinished job holds for a second. Clients that ask for one document at a time share its making, which
/// ends early when all of them have left.
///
/// The reading of a long history costs far more than what is made of it. One reading therefore makes the documents of
/// ``HistoryView/usual`` as well, unless they are known or only some pages are read: a page that shows a job asks for all of them.
final class HistoryCache: Sendable {
    /// A job, a kind of document about the job, and the role of the readers.
    struct Key: Hashable, Sendable {
        /// The job.
        let job: JobNumber
        /// The kind of document with its parameters.
        var view: HistoryView
        /// The role of the reader: no role gets what was made for another.
        let role: Role?

        /// The same reader's document of another kind about the same job.
        func with(_ view: HistoryView) -> Key {
            var key = self
            key.view = view
            return key
        }
    }

    /// Reads the history of a job once, and makes the first view of the list; other views of the list too, if the history is long.
    typealias Maker =
        @Sendable ([HistoryView]) async throws(WebRefusal) -> [HistoryView: HistoryDocument]

    /// How long the document of an unfinished job holds.
    static let age = Duration.seconds(1)
    /// The most documents.
    static let mostDocuments = 64
    /// The most bytes of all documents.
    static let mostBytes = 16 << 20
    /// The most readings at the same time.
    static let mostReadings = 3

    private typealias Made = Result<[HistoryView: HistoryDocument], WebRefusal>

    private struct Entry {
        var document: HistoryDocument
        var madeAt: ContinuousClock.Instant
        /// The number of the last use.
        var use: UInt64
    }

    /// The reading of a history.
    private struct Reading {
        var number: UInt64
        /// What is made of the history.
        var keys: Set<Key>
        var task: Task<Made, Never>
        /// The number of clients that wait.
        var clients: Int
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var byteCount = 0
        var readings: [UInt64: Reading] = [:]
        /// Counts uses and readings.
        var number: UInt64 = 0

        /// The reading that makes a document.
        func reading(of key: Key) -> Reading? { readings.values.first { $0.keys.contains(key) } }

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

    /// The document of a key, from the cache until it expires, else made anew.
    ///
    /// - Parameters:
    ///   - finish: when the job was finished, as the coordinator knows now.
    ///   - make: makes the document and maybe others.
    func document(
        _ key: Key,
        finish: () async throws(WebRefusal) -> Timestamp?,
        make: @escaping Maker
    ) async throws(WebRefusal) -> HistoryDocument {
        if let known = try await known(key, finish: finish) { return known }
        while true {
            guard let (reading, isOwn) = join(key, make) else {
                throw WebRefusal(
                    503,
                    "unavailable",
                    "Too many views of jobs are being made. Try again later.",
                    headers: ["Retry-After": "1"]
                )
            }
            let made = await withTaskCancellationHandler {
                await reading.task.value
            } onCancel: {
                leave(reading.number)
            }
            switch made {
            case .success(let documents):
                if let document = documents[key.view] { return document }
                guard !isOwn else { throw .unexpected }
            // The other client may have left, or lost its token.
            case .failure(let refusal): guard !isOwn, !Task.isCancelled else { throw refusal }
            }
        }
    }

    /// The number of clients that wait for a reading of which a document is made.
    func clientCount(of key: Key) -> Int { state.withLock { $0.reading(of: key)?.clients ?? 0 } }

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
        guard let finishedAt = entry.document.finishedAt else { return isFresh(entry) ? entry.document : nil }
        do throws(WebRefusal) {
            if try await finish() == finishedAt { return entry.document }
        } catch {
            if error.status == 404 { state.withLock { $0.remove(key) } }
            throw error
        }
        return nil
    }

    /// Whether a document holds, as long as the job exists.
    private func isFresh(_ entry: Entry) -> Bool {
        entry.document.finishedAt != nil || now() - entry.madeAt < Self.age
    }

    /// Joins the reading of which a document is made, or begins one; nil if there are too many.
    private func join(_ key: Key, _ make: @escaping Maker) -> (reading: Reading, isOwn: Bool)? {
        state.withLock { state in
            if var reading = state.reading(of: key) {
                reading.clients += 1
                state.readings[reading.number] = reading
                return (reading, false)
            }
            guard state.readings.count < Self.mostReadings else { return nil }
            let usual = key.view.needsAllPages ? HistoryView.usual : []
            let others = usual.filter { view in
                let other = key.with(view)
                return other != key && state.reading(of: other) == nil
                    && !(state.entries[other].map(isFresh) ?? false)
            }
            let number = state.nextNumber()
            let task = Task {
                let made: Made
                do throws(WebRefusal) {
                    made = .success(try await make([key.view] + others))
                } catch {
                    made = .failure(error)
                }
                end(key, number, made)
                return made
            }
            let keys = Set(others.map { key.with($0) } + [key])
            let reading = Reading(number: number, keys: keys, task: task, clients: 1)
            state.readings[number] = reading
            return (reading, true)
        }
    }

    /// A client has left; behind the last one, the reading ends.
    private func leave(_ number: UInt64) {
        let task = state.withLock { state -> Task<Made, Never>? in
            guard var reading = state.readings[number] else { return nil }
            reading.clients -= 1
            state.readings[number] = reading.clients > 0 ? reading : nil
            return reading.clients > 0 ? nil : reading.task
        }
        task?.cancel()
    }

    /// Keeps the documents that were made, and forgets the ones that were not used for the longest time.
    private func end(_ key: Key, _ number: UInt64, _ made: Made) {
        let madeAt = now()
        state.withLock { state in
            state.readings[number] = nil
            guard case .success(let documents) = made else { return }
            for (view, document) in documents where document.bytes.count <= Self.mostBytes {
                let key = key.with(view)
                state.remove(key)
                state.entries[key] = Entry(document: document, madeAt: madeAt, use: state.nextNumber())
                state.byteCount += document.bytes.count
            }
            while state.entries.count > Self.mostDocuments || state.byteCount > Self.mostBytes {
                guard let oldest = state.entries.min(by: { $0.value.use < $1.value.use })?.key else { return }
                state.remove(oldest)
            }
        }
    }
}
