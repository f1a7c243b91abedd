@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// Answers the questions of people who look at what happens: the overview, and why nothing runs.
///
/// Both answers come every second or so to everybody who looks, and cost the same with one job and with a million operations.
extension CoordinatorCore {
    /// The most jobs of an overview.
    static let mostOfOverview = 100
    /// The most queues, the most workers, and the most stopped and paused operations, of an overview.
    static let mostTroubles = 20
    /// The most operations with different reasons in an answer why nothing runs.
    static let stillOperations = 4

    /// The most bytes of an overview.
    static func overviewLength(jobs limit: UInt32) -> Int {
        min(Int(limit), mostOfOverview) * 4_000 + mostTroubles * 2_500
    }

    func answerOverview(jobs limit: UInt32, for client: ReplyAddress) {
        let failed = scheduler.ended.failed
        recentFailures.note(failed, at: now)
        let document = overview(jobs: min(Int(limit), Self.mostOfOverview), failed: failed)
        if commits.error != nil {
            // Who looks at the cluster sees the trouble, and what was the case when it began.
            return send(.document(document.json(for: client.disclosure)), to: client)
        }
        let earlier = earlierJobs(among: document.jobs.count)
        answerBeside(client) { store throws(StoreError) in
            var document = document
            // The scheduler has the times of earlier jobs by the record's clock, which stands still without a coordinator.
            for place in document.jobs.indices where earlier.contains(document.jobs[place].job) {
                guard let job = try store.job(document.jobs[place].job) else { continue }
                document.jobs[place].submittedAt = job.submittedAt
            }
            return .document(document.json(for: client.disclosure))
        }
    }

    /// The jobs that were submitted before the coordinator's start, among the newest unfinished ones.
    ///
    /// By the coordinator's own time: shown times have no order where the host's clock was set.
    private func earlierJobs(among count: Int) -> Set<JobNumber> {
        Set(scheduler.newestUnfinishedJobs(limit: count).lazy.filter { $0.submittedAt <= self.startedAt }.map(\.number))
    }

    private func overview(jobs limit: Int, failed: Int) -> OverviewDocument {
        let time = shownTime
        let all = scheduler.allWorkers
        let known = all.filter { !$0.isKeeper }
        let present = known.filter { $0.condition != .lost && $0.condition != .left && !$0.isAbsent }
        let troubled = all.map { WorkersDocument.Worker($0, at: time) }.filter { !$0.absent && $0.isTroubled }
        let queues = scheduler.allQueues.filter(\.isSuspendedOrFull)
        let jobs = scheduler.newestUnfinishedJobs(limit: limit)
        let stopped = stoppedOperations
        let paused = scheduler.allPausedOperations
        return OverviewDocument(
            coordinator: endpoint,
            version: options.version,
            epoch: scheduler.epoch,
            uptimeSeconds: Int((now - startedAt).components.seconds),
            time: time.present,
            recordFault: commits.error?.description,
            workers: present.count,
            awaitedWorkers: known.reduce(0) { $0 + ($1.isAbsent && $1.condition != .lost ? 1 : 0) },
            slots: present.reduce(0) { $0 + $1.slots },
            counts: scheduler.counts,
            finished: scheduler.ended.finished,
            failedLastHour: recentFailures.count(of: failed),
            jobs: jobs.map { OverviewDocument.Job($0, etaSeconds: rest(of: $0.number), at: time) },
            moreJobs: scheduler.unfinishedJobCount - jobs.count,
            queues: queues.prefix(Self.mostTroubles).map { OverviewDocument.Queue($0) },
            moreQueues: max(0, queues.count - Self.mostTroubles),
            troubledWorkers: troubled.prefix(Self.mostTroubles).map { worker in
                OverviewDocument.Worker(
                    worker: worker.worker,
                    // A worker that gets nothing new may still be alive by its own words.
                    state: worker.state == .alive ? .draining : worker.state,
                    reason: worker.reason,
                    slots: worker.slots,
                    executing: worker.executing
                )
            },
            moreTroubledWorkers: max(0, troubled.count - Self.mostTroubles),
            stopped: Array(stopped.prefix(Self.mostTroubles)),
            moreStopped: max(0, stopped.count - Self.mostTroubles),
            paused: paused.prefix(Self.mostTroubles).compactMap { id in
                pause(of: id).map { PausedOperation(operation: id, paused: $0) }
            },
            morePaused: max(0, paused.count - Self.mostTroubles)
        )
    }

    /// Answers why nothing of some operations runs; operations that do not exist count as finished.
    func answerStandstill(of addresses: [Address], queue: String?, for client: ReplyAddress) {
        let selections = addresses.compactMap(liveSelection) + (queue.map { [.queue($0)] } ?? [])
        let still = scheduler.standstill(of: selections, limit: Self.stillOperations)
        let time = shownTime
        let document = StandstillDocument(
            operations: still.map { operation in
                StandstillDocument.Operation(
                    operation: operation.operation,
                    waitsFor: operation.impediments.map { WaitReason($0, at: time) }
                )
            }
        )
        reply(document, for: client)
    }

    private func liveSelection(_ address: Address) -> OperationSelection? {
        switch address {
        case .job(let job): .job(job)
        case .operation(let id): .operation(id)
        case .operations(let job, let range): .operations(job, range)
        case .named(let job, let name): scheduler.operations(named: name, in: job).map { .operations(job, $0) }
        }
    }
}

extension QueueView {
    /// Whether the queue is suspended, or lets no other of its ready operations start.
    fileprivate var isSuspendedOrFull: Bool {
        settings.isSuspended || counts.ready > 0 && settings.maxConcurrent.map { counts.executing >= $0 } ?? false
    }
}

extension WorkersDocument.Worker {
    /// Whether the worker needs somebody, or gets nothing new.
    fileprivate var isTroubled: Bool {
        switch state {
        case .suspect, .failing, .draining, .lost: true
        case .alive: draining
        case .left: false
        }
    }
}

extension OverviewDocument.Job {
    /// Describes a job.
    fileprivate init(_ view: UnfinishedJobView, etaSeconds: Double?, at time: ShownTime) {
        self.init(
            job: view.number,
            name: view.name,
            command: view.name == nil ? view.command : nil,
            isOpen: view.isOpen,
            counts: view.counts,
            progress: view.progress,
            submittedAt: time.past(view.submittedAt),
            etaSeconds: etaSeconds
        )
    }
}

extension OverviewDocument.Queue {
    /// Describes a queue.
    fileprivate init(_ view: QueueView) {
        self.init(
            queue: view.name,
            suspended: view.settings.isSuspended,
            maxConcurrent: view.settings.maxConcurrent,
            executing: view.counts.executing,
            waiting: view.counts.pending + view.counts.ready
        )
    }
}
