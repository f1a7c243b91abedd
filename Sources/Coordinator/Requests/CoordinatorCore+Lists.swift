@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// Answers requests for lists, page by page, with conditions for what is listed.
extension CoordinatorCore {
    /// The most jobs that are compared with the conditions for one answer.
    static let mostJobsExamined = 20_000

    func answerJobs(before: JobNumber?, limit: UInt32, _ filter: ListFilter, for client: ReplyAddress) {
        let limit = min(Int(limit), Self.largestPage)
        let live = liveStates
        answerBeside(client) { store throws(StoreError) in
            var page =
                filter.isEmpty
                ? try Self.jobs(before: before, limit: limit, live, store)
                : try Self.jobs(before: before, limit: limit, filter, live, store)
            for index in page.jobs.indices {
                page.jobs[index].retries = try Self.retries(of: page.jobs[index].job, live, store)
                page.jobs[index].retriedAs = page.jobs[index].retries.map(\.job)
                guard page.jobs[index].name == nil else { continue }
                page.jobs[index].command = try Self.command(of: page.jobs[index].job, store)
            }
            return .document(page.json(for: client.disclosure))
        }
    }

    /// The states of all unfinished jobs.
    var liveStates: [JobNumber: LiveState] {
        var live: [JobNumber: LiveState] = [:]
        for job in scheduler.unfinishedJobs {
            live[job] = scheduler.counts(of: job).map { LiveState(counts: $0, isOpen: scheduler.isOpen(job)) }
        }
        return live
    }

    /// The retries of a job, oldest first, each with its state.
    static func retries(
        of job: JobNumber,
        _ live: [JobNumber: LiveState],
        _ store: any RecordReader
    ) throws(StoreError) -> [JobRetry] {
        var retries: [JobRetry] = []
        for retry in try store.retries(of: job) {
            var known = live[retry]?.counts
            if known == nil { known = try store.job(retry)?.counts }
            let counts = known ?? JobCounts()
            let isOpen = live[retry]?.isOpen ?? false
            retries.append(
                JobRetry(job: retry, state: counts.state(isOpen: isOpen), outcome: isOpen ? nil : counts.outcome)
            )
        }
        return retries
    }

    /// A page of all jobs.
    private static func jobs(
        before: JobNumber?,
        limit: Int,
        _ live: [JobNumber: LiveState],
        _ store: any RecordReader
    ) throws(StoreError) -> JobListDocument {
        let jobs = try store.jobs(before: before, limit: limit)
        let last = jobs.count == limit ? jobs.last?.number : nil
        let more = try last.map { last throws(StoreError) in try store.jobCount(before: last) } ?? 0
        return JobListDocument(
            jobs: jobs.map { JobListDocument.Job($0, live[$0.number]) },
            next: more > 0 ? last : nil,
            more: more
        )
    }

    /// A page of the jobs that meet conditions, out of a bounded number of jobs.
    private static func jobs(
        before: JobNumber?,
        limit: Int,
        _ filter: ListFilter,
        _ live: [JobNumber: LiveState],
        _ store: any RecordReader
    ) throws(StoreError) -> JobListDocument {
        var found: [JobListDocument.Job] = []
        var more = 0
        var examined = 0
        var last = before
        while examined < mostJobsExamined {
            let candidates = try candidates(before: last, limit: limit, filter, store)
            for summary in candidates.jobs {
                let job = JobListDocument.Job(summary, live[summary.number])
                guard filter.admits(job) else { continue }
                if found.count < limit { found.append(job) } else { more += 1 }
            }
            examined += candidates.examined
            guard let next = candidates.next else {
                return JobListDocument(jobs: found, next: more > 0 ? found.last?.job : nil, more: more)
            }
            // A count of the further jobs with the tags would read each of them.
            if more > 0, !filter.tags.isEmpty { break }
            last = next
        }
        return JobListDocument(jobs: found, next: found.count == limit ? found.last?.job : last, more: nil)
    }

    /// The next jobs to compare with the conditions, with the job before which to continue; nil after the last job.
    private static func candidates(
        before last: JobNumber?,
        limit: Int,
        _ filter: ListFilter,
        _ store: any RecordReader
    ) throws(StoreError) -> (jobs: [JobSummary], next: JobNumber?, examined: Int) {
        guard filter.tags.isEmpty else {
            let page = try store.jobs(tagged: filter.tags, before: last, limit: min(limit + 1, largestPage))
            return (page.jobs, page.next, max(page.steps, 1))
        }
        let jobs = try store.jobs(before: last, limit: largestPage)
        return (jobs, jobs.count < largestPage ? nil : jobs.last?.number, jobs.count)
    }

    /// The command of a job's first operation; nil for an operation without a single command.
    private static func command(of job: JobNumber, _ store: any RecordReader) throws(StoreError) -> [String]? {
        switch try store.operations(of: job, from: 0, limit: 1).first?.template.work.kind {
        case .commands(let commands)?: commands.count == 1 ? commands[0] : nil
        case .typed(let type, _)?: [type]
        case .noOperation?, nil: nil
        }
    }

    /// A page of a job's operations, and the index of the next page.
    static func page(
        of job: JobSummary,
        from index: UInt32,
        limit: Int,
        _ store: any RecordReader
    ) throws(StoreError) -> ([StoredOperation], next: UInt32?) {
        let operations = try store.operations(of: job.number, from: index, limit: limit)
        let next = index + UInt32(operations.count)
        return (operations, Int(next) < job.operations ? next : nil)
    }

    /// A page of a job's failed operations, and the index of the next page.
    static func failures(
        of job: JobNumber,
        from index: UInt32,
        limit: Int,
        _ store: any RecordReader
    ) throws(StoreError) -> ([StoredOperation], next: UInt32?) {
        let failures = try store.failures(of: job, from: index, limit: limit + 1)
        var operations: [StoredOperation] = []
        for failure in failures.prefix(limit) { operations += try store.operations(of: job, from: failure, limit: 1) }
        return (operations, failures.count > limit ? failures[limit] : nil)
    }
}

/// The state of an unfinished job by the scheduler.
struct LiveState {
    /// The number of its operations by state and outcome.
    var counts: JobCounts
    /// Whether it takes further operations.
    var isOpen: Bool
}

extension JobListDocument.Job {
    /// Describes a job, by the scheduler if the scheduler knows the job, or else by the record.
    fileprivate init(_ summary: JobSummary, _ live: LiveState?) {
        self.init(summary, live: live?.counts, isOpen: live?.isOpen ?? false)
    }
}

extension ListFilter {
    /// Whether a job meets the conditions.
    fileprivate func admits(_ job: JobListDocument.Job) -> Bool {
        admits(
            job.state,
            job.outcome,
            name: job.name,
            queue: job.queue,
            worker: nil,
            moments: [job.submittedAt, job.finishedAt]
        )
    }
}
