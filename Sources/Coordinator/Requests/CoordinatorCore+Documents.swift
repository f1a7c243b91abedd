@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// Answers requests for JSON documents.
///
/// The scheduler supplies unfinished operations, and the record supplies finished operations. The coordinator reads the
/// scheduler first, and then the record after all changes up to that moment are committed. For an operation that finishes in
/// between, the document shows the scheduler's earlier state, so that the whole document describes a single moment.
extension CoordinatorCore {
    /// The most operations of one page.
    static let largestPage = 1000
    /// The most operations that a queue's document lists; the count covers all operations.
    static let longestQueueListing = 10_000
    /// The most operations that hold units of a limit, and the most that wait for some, in the list of limits.
    static let listedOfLimit = 20

    func answer(_ request: DocumentRequest, for client: ReplyAddress) {
        switch request {
        case .job(let job, let index, let limit, let filter):
            answerJob(job, from: index, limit: limit, filter, for: client)
        case .operation(let address): answerOperation(address, for: client)
        case .explain(let address): explain(address, for: client)
        case .jobs(let before, let limit, let filter): answerJobs(before: before, limit: limit, filter, for: client)
        case .failures(let job, let limit): answerFailures(of: job, limit: limit, for: client)
        case .summary(let job): answerSummary(of: job, for: client)
        case .queue(let name):
            guard let queue = scheduler.queue(name) else {
                return send(.refused(.noSuchQueue(name)), to: client)
            }
            let operations = scheduler.operations(inQueue: name, limit: Self.longestQueueListing)
            replyBeside(QueueDocument(summary: QueueSummary(queue), operations: operations), for: client)
        case .queues:
            replyBeside(QueueListDocument(queues: scheduler.allQueues.map { QueueSummary($0) }), for: client)
        case .limits:
            let limits = scheduler.sharedLimits(listing: Self.listedOfLimit).map { LimitSummary($0) }
            replyBeside(LimitListDocument(limits: limits), for: client)
        case .workers:
            replyBeside(
                WorkersDocument(workers: scheduler.allWorkers.map { WorkersDocument.Worker($0, at: shownTime) }),
                for: client
            )
        case .allWorkers: replyBeside(allWorkersDocument, for: client)
        case .worker(let name):
            guard let document = workerDocument(name) else {
                return send(.refused(Refusal(.notFound, "There is no worker \(name.asShown).")), to: client)
            }
            replyBeside(document, for: client)
        case .names(let job, let pattern, let index):
            answerNames(job, matching: pattern, from: index, for: client)
        case .graph(let job, let index, let limit): answerGraph(of: job, from: index, limit: limit, for: client)
        case .standstill(let addresses, let queue): answerStandstill(of: addresses, queue: queue, for: client)
        case .overview(let limit): answerOverview(jobs: limit, for: client)
        case .files(let address, let place, let limit): answerFiles(of: address, from: place, limit: limit, for: client)
        case .criticalPath(let job): answerCriticalPath(of: job, for: client)
        case .waiting(let job): answerWaiting(of: job, for: client)
        case .metrics: answerMetrics(for: client)
        case .demand(let worker):
            let demand = scheduler.demand(for: worker)
            reply(DemandDocument(operations: demand.operations, workers: demand.workers), for: client)
        case .throughput(let seconds):
            reply(throughput.document(ofLast: Int(seconds), aheadBy: aheadOfOwnTime), for: client)
        case .status:
            answerStatus(for: client)
        case .schedules: answerSchedules(for: client)
        case .schedule(let name): answerSchedule(name, for: client)
        case .coordinatorKeys: handOverKeys(for: client)
        }
    }

    /// Replies with the scheduler's state once the state is on disk; refuses while the record cannot be written.
    func reply(_ document: some Document, for client: ReplyAddress) {
        if let error = commits.error {
            return send(.refused(Refusal(.storage, error.description)), to: client)
        }
        commits.append(.reply(.document(document.json(for: client.disclosure)), client))
    }

    /// Replies in the same way with a document that may be long, encoded on the thread of the record's reader to keep the coordinator free.
    func replyBeside(_ document: some Document & Sendable, for client: ReplyAddress) {
        answerBeside(client) { _ throws(StoreError) in .document(document.json(for: client.disclosure)) }
    }

    /// Answers with a page of a job; the page lists no earlier attempts, because those of 1000 operations could be 20,000.
    private func answerJob(
        _ job: JobNumber,
        from index: UInt32,
        limit: UInt32,
        _ filter: ListFilter,
        for client: ReplyAddress
    ) {
        let limit = min(Int(limit), Self.largestPage)
        let isFiltered = !filter.isEmpty && !filter.isForFailures
        let time = shownTime
        let filtered =
            isFiltered ? FilteredOperations(of: job, from: index, limit: limit, filter, scheduler, at: time) : nil
        let known = filtered?.live ?? scheduler.records(of: job, from: index, limit: filter.isEmpty ? limit : 0)
        let live = time.ahead == .zero ? known : known.mapValues { time.shown($0) }
        let liveCounts = scheduler.counts(of: job)
        let isOpen = scheduler.isOpen(job)
        let liveProgress = scheduler.progress(of: job)
        let startedAt = scheduler.start(of: job).map(time.past)
        let rest = rest(of: job)
        let record = record
        // Only a finished job has retries.
        let liveJobs = liveCounts == nil && index == 0 ? liveStates : [:]
        let reported = live.compactMapValues { $0.state == .executing ? scheduler.progress(of: $0.id) : nil }
        let stopped = stoppedOperations.lazy.filter { $0.hook == nil }
        let stops = Dictionary(stopped.map { ($0.operation, $0.stop) }) { first, _ in first }
        let pauses = live.compactMapValues { pause(of: $0.id) }
        let runs = self.hookRuns(of: job)
        answerBeside(client) { store throws(StoreError) in
            guard let summary = try store.job(job) else { return .refused(.noSuch(.job(job))) }
            let (operations, next) =
                if let filtered {
                    try filtered.read(of: summary, limit: limit, from: store)
                } else if filter.isForFailures {
                    try Self.failures(of: job, from: index, limit: limit, store)
                } else {
                    try Self.page(of: summary, from: index, limit: limit, store)
                }
            var page = FilteredPage(filter, limit: limit)
            for operation in operations {
                let id = operation.record.id
                page.append(
                    OperationDocument(
                        operation,
                        live: live[id.index],
                        progress: reported[id.index],
                        stop: stops[id],
                        paused: pauses[id.index],
                        files: try Self.files(of: operation, live: live[id.index], store),
                        hook: try Self.hook(of: operation, live: live[id.index], runs, store)
                    )
                )
            }
            var hookRuns: [String: HookDocument] = [:]
            for moment in summary.settings.hooks?.commands.keys.sorted(by: { $0.rawValue < $1.rawValue }) ?? [] {
                guard liveCounts == nil else { break }
                hookRuns[moment.rawValue] = try Self.hook(.hook(moment, of: job), runs, store)
            }
            // The counts are from the moment of the request, even if the record is ahead by now, so that the document is
            // consistent.
            let counts = liveCounts ?? summary.counts ?? JobCounts()
            let document = JobDocument(
                job: job,
                name: summary.name,
                key: summary.key.flatMap { Submission.isOwn(key: $0) ? nil : $0 },
                by: summary.submittedBy,
                state: counts.state(isOpen: isOpen),
                open: isOpen,
                retryOf: summary.retryOf,
                retries: index == 0 ? try Self.retries(of: job, liveJobs, store) : [],
                settings: summary.settings,
                hookRuns: hookRuns,
                traceContext: record == .unknown
                    ? nil : JobTrace(of: job, in: record, parent: summary.settings.traceParent).root,
                counts: counts,
                progress: liveProgress,
                queues: try store.queues(of: job),
                operations: page.operations,
                submittedAt: summary.submittedAt,
                startedAt: liveCounts == nil ? summary.startedAt : startedAt,
                finishedAt: liveCounts == nil ? summary.finishedAt : nil,
                etaSeconds: rest,
                next: page.next ?? next
            )
            return .document(document.json(for: client.disclosure))
        }
    }

    /// The time that the rest of a job takes if it goes on as fast as lately, in seconds; nil if that is not known.
    func rest(of job: JobNumber) -> Double? {
        guard let progress = scheduler.progress(of: job), let start = scheduler.start(of: job) else { return nil }
        if jobPaces.count >= Self.mostPaces { jobPaces.keepOnly { isUnfinished($0) } }
        return jobPaces.rest(of: job, progress: progress, since: start, at: now)
    }

    /// The number of remembered paces from which on those of finished jobs are forgotten.
    private static let mostPaces = 1_000

    private func answerOperation(_ address: Address, for client: ReplyAddress) {
        let time = shownTime
        let live = liveOnly(address).flatMap { scheduler.record(of: $0) }.map { time.shown($0) }
        let progress = live.flatMap { scheduler.progress(of: $0.id) }
        let stop = live.flatMap { self.stop(of: $0.id) }
        let paused = live.flatMap { pause(of: $0.id) }
        let fetch = live.flatMap { scheduler.fetch(of: $0.id) }.map { WaitReason($0, at: time).message }
        let runs = live == nil ? hookRuns(of: address.job) : [:]
        let copies = fewestCopies(of: address)
        answerBeside(client) { store throws(StoreError) in
            if case .named(let job, let name) = address, let range = try store.operations(named: name, in: job),
                range.count > 1
            {
                let array = ArrayDocument(job: job, name: name, operations: range)
                return .document(array.json(for: client.disclosure))
            }
            let operation: StoredOperation
            switch try Self.storedSingle(live.map { .operation($0.id) } ?? address, store) {
            case .success(let found): operation = found
            case .failure(let refusal): return .refused(refusal)
            }
            let id = operation.record.id
            let attempts = try store.attempts(of: id)
            let lost = try store.lostOutputs(of: id.job, in: id.index..<id.index + 1, limit: attempts.count + 1)
            var document = OperationDocument(
                operation,
                live: live,
                progress: progress,
                stop: stop,
                paused: paused,
                attempts: attempts,
                lostOutputs: lost.map(\.attempt),
                usages: try store.usages(of: id),
                files: try Self.files(of: operation, live: live, store),
                copies: copies,
                hook: try Self.hook(of: operation, live: live, runs, store)
            )
            if let fetch { document.message = fetch }
            return .document(document.json(for: client.disclosure))
        }
    }

    /// The run of the completion hook of an operation; nil for an operation that is unfinished or has no hook.
    private static func hook(
        of operation: StoredOperation,
        live: OperationRecord?,
        _ runs: [OperationID: HookDocument],
        _ store: any RecordReader
    ) throws(StoreError) -> HookDocument? {
        guard live == nil, operation.template.onFinish != nil else { return nil }
        return try hook(operation.record.id, runs, store)
    }

    /// The run of a completion hook; nil if the record knows none.
    private static func hook(
        _ id: OperationID,
        _ runs: [OperationID: HookDocument],
        _ store: any RecordReader
    ) throws(StoreError) -> HookDocument? {
        switch try store.hook(of: id) {
        case nil: nil
        case .pending?: runs[id] ?? HookDocument(worker: nil)
        case .ended(let record)?: HookDocument(record)
        }
    }

    private func explain(_ address: Address, for client: ReplyAddress) {
        if let id = liveOnly(address), let record = scheduler.record(of: id),
            let impediments = scheduler.impediments(of: id)
        {
            let time = shownTime
            let reasons = impediments.map { WaitReason($0, at: time) }
            let document = ExplainDocument(
                operation: id,
                state: record.state,
                waitsFor: reasons,
                stop: stop(of: id),
                paused: pause(of: id)
            )
            return reply(document, for: client)
        }
        answerBeside(client) { store throws(StoreError) in
            let operation: StoredOperation
            switch try Self.storedSingle(address, store) {
            case .success(let found): operation = found
            case .failure(let refusal): return .refused(refusal)
            }
            let document = ExplainDocument(operation: operation.record.id, state: operation.record.state, waitsFor: [])
            return .document(document.json(for: client.disclosure))
        }
    }

    /// Answers with a summary of the cluster; the server of a record is asked how it is copied at present, and who stands by.
    private func answerStatus(for client: ReplyAddress) {
        let document = statusDocument(for: client)
        guard case .server = options.store else { return reply(document, for: client) }
        answerBeside(client) { store throws(StoreError) in
            var document = document
            let notice = (store as? SQLStore)?.leader()
            document.replication = notice?.replication?.rawValue
            document.standbys = notice?.standbys.map { StatusDocument.Standby($0, leaderKey: notice?.key) }
            return .document(document.json(for: client.disclosure))
        }
    }

    private func statusDocument(for client: ReplyAddress) -> StatusDocument {
        let known = scheduler.allWorkers.filter { $0.condition != .lost && $0.condition != .left && !$0.isKeeper }
        let workers = known.filter { !$0.isAbsent }
        return StatusDocument(
            coordinator: endpoint,
            version: options.version,
            epoch: scheduler.epoch,
            security: options.keys == nil ? .none : .curve,
            key: client.requester?.shown,
            uptimeSeconds: Int((now - startedAt).components.seconds),
            time: shownTime.present,
            workers: workers.count,
            awaitedWorkers: known.filter(\.isAbsent).map(\.name),
            slots: workers.reduce(0) { $0 + $1.slots },
            failing: workers.filter { $0.fault != nil && $0.condition != .suspect }.map {
                StatusDocument.Failing(worker: $0.name, reason: $0.fault ?? "")
            },
            queues: scheduler.queueCount,
            counts: scheduler.counts,
            store: options.store.kind,
            role: "leader"
        )
    }

    /// The refusal of an address that does not exist; the refusal names the job if the job does not exist either.
    static func absence(of address: Address, _ store: any RecordReader) throws(StoreError) -> Refusal {
        .noSuch(try store.job(address.job) == nil ? .job(address.job) : address)
    }

    /// The single operation in the record that an address denotes; or the refusal of an address that denotes none, or several.
    ///
    /// A job denotes its only operation.
    static func storedSingle(
        _ address: Address,
        _ store: any RecordReader
    ) throws(StoreError) -> Result<StoredOperation, Refusal> {
        let id: OperationID
        if case .operation(let address) = address {
            id = address
        } else {
            switch try storedTarget(address, store) {
            case .operations(let job, let range)? where range.count == 1:
                id = OperationID(job: job, index: range.lowerBound)
            case .operations(let job, let range)?:
                return .failure(.several(address, range.count, first: OperationID(job: job, index: range.lowerBound)))
            case .job(let job)?:
                let count = try store.job(job)?.operations ?? 0
                id = OperationID(job: job, index: 0)
                if count != 1 { return .failure(.several(address, count, first: id)) }
            default: return .failure(try absence(of: address, store))
            }
        }
        guard let operation = try store.operations(of: id.job, from: id.index, limit: 1).first else {
            return .failure(try absence(of: address, store))
        }
        return .success(operation)
    }
}
