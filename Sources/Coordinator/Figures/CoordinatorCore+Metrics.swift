@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// Answers the questions of monitoring systems.
extension CoordinatorCore {
    /// The most workers with figures of their own, and the name of the sum of all others.
    private static let mostWorkers = 1_000
    private static let others = "other"

    /// The most shared limits with figures.
    private static let mostLimits = 100

    /// The most bytes of the figures.
    static let metricsLength =
        (ClusterTotals.mostQueues + 1) * 2_000 + mostWorkers * 250 + mostLimits * 150 + 4_000

    /// What is the case now, for ``ThroughputRing``.
    var moment: ThroughputRing.Moment {
        let (ended, counts) = (scheduler.ended, scheduler.counts)
        return ThroughputRing.Moment(
            started: scheduler.attemptTotals.started,
            succeeded: ended.succeeded,
            failed: ended.failed,
            executing: counts.executing,
            ready: counts.ready
        )
    }

    /// Replies with the figures, also while the record cannot be written: that is when somebody needs them.
    func answerMetrics(for client: ReplyAddress) {
        let document = metrics
        @Sendable func reply(_ reader: any RecordReader) throws(StoreError) -> Reply {
            var document = document
            let size = try reader.size()
            (document.recordBytes, document.recordLogBytes) = (size?.file, size?.log)
            (document.diskFreeBytes, document.diskBytes) = (size?.free, size?.disk)
            return .document(document.json)
        }
        guard commits.error != nil else {
            return answerBeside(client) { reader throws(StoreError) in try reply(reader) }
        }
        read(toleratingFailure: true) { store throws(StoreError) in
            try reply(store)
        } then: {
            Self.answer($0, to: client)
        }
    }

    private var metrics: MetricsDocument {
        var states = Dictionary(uniqueKeysWithValues: WorkersDocument.State.allCases.map { ($0.rawValue, 0) })
        // Workers that have left count too, as in the documents.
        for worker in allWorkersDocument.workers where worker.keeper == nil {
            states[worker.state.rawValue, default: 0] += 1
        }
        let attempts = scheduler.attemptTotals
        let jobs = scheduler.unfinishedJobStates.map { ($0.key.description, $0.value) }
        // An operation may be skipped, but never a whole job.
        let outcomes = Outcome.allCases.filter { $0 != .skipped }.map {
            ($0.description, scheduler.jobsFinished[$0])
        }
        return MetricsDocument(
            version: options.version,
            epoch: scheduler.epoch,
            startedAt: shownTime.past(startedAt),
            recordFailing: commits.error != nil,
            events: scheduler.newestEvent,
            queues: queueMetrics,
            limits: limitMetrics,
            transfers: transferMetrics,
            attempts: [
                "succeeded": attempts.succeeded, "failed": attempts.failed, "cancelled": attempts.cancelled,
                "lost": attempts.lost, "givenBack": attempts.givenBack, "stopped": attempts.stopped,
            ],
            jobs: Dictionary(uniqueKeysWithValues: jobs),
            jobsFinished: Dictionary(uniqueKeysWithValues: outcomes),
            workers: workerMetrics(of: scheduler.allWorkers.filter { $0.condition != .left && !$0.isKeeper }),
            workerStates: states,
            commit: HistogramDocument(commits.times),
            turn: HistogramDocument(turns)
        )
    }

    private var queueMetrics: [MetricsDocument.Queue] {
        var queues: [MetricsDocument.Queue] = []
        var places: [String: Int] = [:]
        for figures in scheduler.queueFigures {
            let queue = MetricsDocument.Queue(figures)
            if let place = places[queue.queue] {
                queues[place].add(queue)
            } else {
                places[queue.queue] = queues.count
                queues.append(queue)
            }
        }
        return queues
    }

    private var limitMetrics: [MetricsDocument.Limit]? {
        guard scheduler.sharedLimitCount > 0 else { return nil }
        return scheduler.sharedLimits(listing: 0).prefix(Self.mostLimits).map { limit in
            MetricsDocument.Limit(
                limit: limit.name,
                units: limit.units,
                taken: limit.taken,
                waiting: limit.waitingCount
            )
        }
    }

    private var transferMetrics: MetricsDocument.Transfers? {
        guard movesFiles || pieces.passedBytes > 0 || pieces.directBytes > 0 else { return nil }
        return MetricsDocument.Transfers(
            connections: fileConnections.count,
            underWay: pieces.openCount,
            passedBytes: pieces.passedBytes,
            directBytes: pieces.directBytes
        )
    }

    private func workerMetrics(of views: [WorkerView]) -> [MetricsDocument.Worker] {
        var workers: [MetricsDocument.Worker] = []
        var places: [String: Int] = [:]
        for view in views {
            let worker = MetricsDocument.Worker(
                worker: places.count < Self.mostWorkers ? view.name : Self.others,
                slots: view.slots,
                executing: view.executing,
                silentSeconds: view.silence(at: now)
            )
            if let place = places[worker.worker] {
                workers[place].add(worker)
            } else {
                places[worker.worker] = workers.count
                workers.append(worker)
            }
        }
        return workers
    }
}

extension MetricsDocument.Queue {
    /// Describes a queue.
    fileprivate init(_ figures: QueueFigures) {
        var counts = figures.counts
        for outcome in Outcome.allCases { counts[outcome] = figures.ended[outcome] }
        self.init(
            queue: figures.label,
            maxConcurrent: figures.settings.maxConcurrent,
            suspended: figures.settings.isSuspended,
            counts: counts,
            submitted: figures.submitted,
            wait: HistogramDocument(figures.waits),
            run: HistogramDocument(figures.runs)
        )
    }
}
