@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire

/// The documents of workers that have left, and of single workers.
extension CoordinatorCore {
    /// All workers on the list, and those that have left during the last hour.
    var allWorkersDocument: WorkersDocument {
        let present = scheduler.allWorkers
        let names = Set(present.filter { $0.condition != .left }.map(\.name))
        let departed = histories.departed(at: now).filter { !names.contains($0.view.name) }
        let remembered = Set(departed.map(\.view.name))
        let time = shownTime
        let workers =
            present.filter { !remembered.contains($0.name) }.map { WorkersDocument.Worker($0, at: time) }
            + departed.map { Self.departed($0.view, at: $0.at, time) }
        return WorkersDocument(workers: workers.sorted { $0.worker < $1.worker })
    }

    /// One worker with its history; nil if no worker with the name is on the list or has left during the last hour.
    func workerDocument(_ name: String) -> WorkerDocument? {
        let view = scheduler.worker(named: name)
        let departure = histories.departed(at: now).first { $0.view.name == name }
        let time = shownTime
        let worker: WorkersDocument.Worker
        if let view, view.condition != .left || departure == nil {
            worker = WorkersDocument.Worker(view, at: time)
        } else if let departure {
            worker = Self.departed(departure.view, at: departure.at, time)
        } else {
            return nil
        }
        let history = histories[name]
        let fetches = scheduler.fetches(onWorker: name).map { fetch in
            WorkerDocument.Fetch(
                operation: fetch.operation,
                files: fetch.files,
                bytes: fetch.bytes,
                present: fetch.present
            )
        }
        return WorkerDocument(
            worker: worker,
            executing: scheduler.executing(onWorker: name, limit: Self.largestPage).map { record in
                WorkerDocument.Execution(
                    operation: record.id,
                    attempt: record.attempt,
                    startedAt: record.startedAt.map(time.past)
                )
            },
            fetching: fetches.isEmpty ? nil : fetches,
            dataAddress: scheduler.session(ofWorker: name).flatMap { fileConnections.address(of: $0)?.endpoint },
            since: (history?.since).map(time.past),
            succeeded: history?.succeeded ?? 0,
            unsuccessful: history?.unsuccessful ?? 0,
            ended: (history?.newestFirst ?? []).map { $0.shown(time) },
            busy: loads.shares(of: name, at: now),
            busyBucketSeconds: WorkerLoads.partSeconds
        )
    }

    private static func departed(
        _ view: WorkerView,
        at moment: Timestamp,
        _ time: ShownTime
    ) -> WorkersDocument.Worker {
        var view = view
        view.condition = .left
        view.executing = 0
        view.isDraining = view.drain != nil
        view.roundTrip = nil
        view.endsAt = nil
        view.lastHeardAt = nil
        view.lostAt = nil
        var worker = WorkersDocument.Worker(view, at: time)
        worker.memoryControl = nil
        worker.leftAt = time.past(moment)
        return worker
    }
}

extension WorkerDocument.Ended {
    /// The same end, with a shown time.
    fileprivate func shown(_ time: ShownTime) -> WorkerDocument.Ended {
        var ended = self
        ended.endedAt = time.past(endedAt)
        return ended
    }
}
