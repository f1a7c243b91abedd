@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
import Synchronization

/// The histories of finished operations of large jobs in memory, so that a question about a whole job reads no row for each operation.
///
/// A store adds what it has committed. The readers of the same record, on other threads, take from the cache, and add what they
/// have read about jobs that were finished before the record was opened. Each history takes 40 bytes.
final class OperationHistoryCache: Sendable {
    /// The fewest operations of a job that is worth its memory; the rows of another job are read in some 20 milliseconds.
    static let leastOperations = 10_000
    /// The bytes of all histories in a coordinator: those of 1.2 million operations.
    static let usualBytes = 48 << 20

    private struct State {
        var jobs: [JobNumber: CachedJob] = [:]
        /// The bytes of all histories.
        var byteCount = 0
        /// Counts the uses of jobs.
        private var use: UInt64 = 0

        /// Notes that somebody asks about a job, or that the job goes on.
        mutating func noteUse(of job: JobNumber) {
            use += 1
            jobs[job]?.use = use
        }

        mutating func remove(_ job: JobNumber) {
            byteCount -= jobs.removeValue(forKey: job)?.byteCount ?? 0
            invariant(byteCount >= 0, "The histories have fewer than no bytes.")
            invariant(!jobs.isEmpty || byteCount == 0, "The histories of no job have bytes.")
        }

        /// Forgets the jobs that were not used for the longest time, until there is room or one job is left.
        mutating func makeRoom(of mostBytes: Int, for job: JobNumber) {
            while byteCount > mostBytes {
                let others = jobs.filter { $0.key != job && $0.value.byteCount > 0 }
                guard let oldest = others.min(by: { $0.value.use < $1.value.use })?.key else { return }
                remove(oldest)
            }
        }
    }

    private let mostBytes: Int
    private let leastOperations: Int
    private let state = Mutex(State())

    /// Makes a cache without histories.
    ///
    /// - Parameters:
    ///   - mostBytes: the most bytes of all histories.
    ///   - leastOperations: the fewest operations of a job whose histories are kept.
    init(mostBytes: Int = usualBytes, leastOperations: Int = leastOperations) {
        self.mostBytes = mostBytes
        self.leastOperations = leastOperations
    }

    /// The histories of a job's finished operations, those that have never started together with like neighbours; nil unless all
    /// finished ones are known.
    ///
    /// - Complexity: O(operations).
    func histories(of job: JobNumber, in range: Range<UInt32>) -> [OperationHistory]? {
        state.withLock { state in
            state.noteUse(of: job)
            return state.jobs[job]?.histories(in: range)
        }
    }

    /// The finished operations of a part of a job that meet a filter's conditions for outcome, worker and time.
    ///
    /// - Returns: nil unless all finished operations of the part are known.
    /// - Complexity: O(operations), some 3 nanoseconds each.
    func finished(of job: JobNumber, in range: Range<UInt32>, meeting filter: ListFilter) -> [Range<UInt32>]? {
        use(job)?.finished(in: range, meeting: filter)
    }

    /// The operation of a part of a job that finished last, the first of several that did.
    ///
    /// - Returns: nil unless all finished operations of the job are known; else, an inner nil if none counts.
    /// - Complexity: O(operations), some 3 nanoseconds each.
    func lastFinished(
        of job: JobNumber,
        _ range: ClosedRange<UInt32>,
        by limit: Timestamp,
        hasRun: Bool
    ) -> OperationHistory?? {
        guard let cached = use(job) else { return nil }
        return cached.lastFinished(in: range, by: limit, hasRun: hasRun)
    }

    /// The histories of a job as they are now; the store goes on meanwhile, with a copy of the few chunks that it changes.
    private func use(_ job: JobNumber) -> CachedJob? {
        state.withLock { state in
            state.noteUse(of: job)
            return state.jobs[job]
        }
    }

    /// Notes committed changes.
    ///
    /// - Complexity: O(changes), and O(operations) for those that have never started.
    func note(_ changes: [RecordChange]) {
        state.withLock { state in
            for change in changes {
                switch change {
                case .job(let record):
                    let submission = record.submission
                    // An open job may become large.
                    guard submission.operationCount >= leastOperations || submission.isOpen else { continue }
                    state.remove(record.number)
                    state.jobs[record.number] = CachedJob(isWhole: true)
                    state.noteUse(of: record.number)
                // The record of an operation is long, and its copy costs more than all the rest.
                case .operation where state.jobs.isEmpty: break
                case .operation(let record):
                    // What is finished stays as it is; a scheduler knows the rest.
                    guard record.state == .finished, state.jobs[record.id.job] != nil else { continue }
                    note(OperationHistory(record), of: record.id.job, &state)
                case .jobFinished(let job, _, _, _, _): state.noteUse(of: job)
                case .addition, .jobClosed, .attempt, .output, .result, .files, .fetch, .queue, .queueDeleted, .totals,
                    .dependencies, .commands, .hook, .hookDone, .worker, .drain, .pause, .schedule, .scheduleState,
                    .missingAttempts,
                    .limit,
                    .event,
                    .clock:
                    break
                }
            }
        }
    }

    /// Notes what a reader has found in the record.
    ///
    /// - Parameter count: the number of operations of the job.
    func note(_ histories: [OperationHistory], of job: JobNumber, count: UInt32) {
        guard count >= leastOperations else { return }
        state.withLock { state in
            if state.jobs[job] == nil { state.jobs[job] = CachedJob(isWhole: false) }
            state.noteUse(of: job)
            for history in histories where history.state == .finished { note(history, of: job, &state) }
        }
    }

    /// Forgets a job that is not in the record any more.
    func remove(_ job: JobNumber) {
        state.withLock { $0.remove(job) }
    }

    private func note(_ history: OperationHistory, of job: JobNumber, _ state: inout State) {
        let isFull = state.byteCount + CachedJob.chunkBytes > mostBytes
        if isFull, state.jobs[job]?.lacksMemory(for: history.first) == true {
            state.makeRoom(of: mostBytes - CachedJob.chunkBytes, for: job)
        }
        let room = mostBytes - state.byteCount
        state.byteCount += state.jobs[job]?.note(history, room: room) ?? 0
        invariant(state.byteCount <= mostBytes, "The histories have more bytes than they may have.")
    }
}
