@_spi(Baton) import BatonOperations

/// What workers fetch for attempts that were sent and have not started, as far as people are told afterwards; it decides nothing.
///
/// Only attempts are here that wait for files at the moment, so that their number is that of a few attempts a worker.
struct FetchTimes: Sendable {
    private struct Fetch {
        var record: FetchRecord
        /// The contents that have not come, with their sizes.
        var missing: [ContentDigest: Int64]

        mutating func noteArrival(of digests: [ContentDigest], _ time: Timestamp, wasThere: Bool) {
            for digest in digests {
                guard let size = missing.removeValue(forKey: digest) else { continue }
                if wasThere {
                    record.files -= 1
                    record.bytes -= min(size, record.bytes)
                } else {
                    record.arrivedAt = time
                }
            }
        }
    }

    private var fetches: [WorkerIndex: [AttemptToken: Fetch]] = [:]

    /// Whether no worker fetches anything.
    @inline(__always) var isEmpty: Bool { fetches.isEmpty }

    /// Notes that a worker begins to fetch files for an attempt.
    ///
    /// - Parameter missing: the contents that the worker lacks, with their sizes.
    mutating func begin(
        _ token: AttemptToken,
        at worker: WorkerIndex,
        _ missing: [ContentDigest: Int64],
        at time: Timestamp
    ) {
        guard !missing.isEmpty else { return }
        let bytes = missing.values.reduce(Int64(0)) { min($0 + $1, Scheduler.mostCounted) }
        let record = FetchRecord(sentAt: time, arrivedAt: time, files: UInt32(clamping: missing.count), bytes: bytes)
        fetches[worker, default: [:]][token] = Fetch(record: record, missing: missing)
    }

    /// Whether a worker fetches a content.
    ///
    /// - Complexity: O(attempts that wait for files).
    func areMissing(_ digest: ContentDigest) -> Bool {
        fetches.values.contains { $0.values.contains { $0.missing[digest] != nil } }
    }

    /// Notes that a worker has contents.
    ///
    /// - Parameter wasThere: whether the worker only tells what it has: such contents were not fetched.
    /// - Complexity: O(contents · attempts for which the worker fetches).
    mutating func noteArrival(of digests: [ContentDigest], at worker: WorkerIndex, _ time: Timestamp, wasThere: Bool) {
        for token in tokens(at: worker) {
            fetches[worker]?[token]?.noteArrival(of: digests, time, wasThere: wasThere)
        }
    }

    /// Ends the fetch for an attempt that has started.
    ///
    /// - Parameter start: the start, by which the worker has all files, even if it has not told of the last ones.
    /// - Returns: what was fetched; nil for nothing.
    mutating func end(_ token: AttemptToken, at worker: WorkerIndex, start: Timestamp) -> FetchRecord? {
        guard let fetch = remove(token, at: worker), fetch.record.files > 0 else { return nil }
        var record = fetch.record
        // The report of a start comes late, and tells how late, while that of a file counts when it comes.
        let last = fetch.missing.isEmpty ? min(record.arrivedAt, start) : start
        record.arrivedAt = max(record.sentAt, last)
        return record
    }

    /// Forgets the fetch, if any, of an attempt that its worker returns.
    mutating func forget(_ token: AttemptToken, at worker: WorkerIndex) { _ = remove(token, at: worker) }

    /// Forgets all fetches of a worker.
    mutating func forget(_ worker: WorkerIndex) { fetches[worker] = nil }

    private mutating func remove(_ token: AttemptToken, at worker: WorkerIndex) -> Fetch? {
        guard let fetch = fetches[worker]?.removeValue(forKey: token) else { return nil }
        if fetches[worker]?.isEmpty == true { fetches[worker] = nil }
        return fetch
    }

    /// The attempts for which a worker fetches files.
    func tokens(at worker: WorkerIndex) -> [AttemptToken] { fetches[worker].map { $0.keys.sorted() } ?? [] }
}
