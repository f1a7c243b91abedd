@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire

/// The executing operations and completion hooks with a stopped process (D17).
extension CoordinatorCore {
    /// The stopped operations and completion hooks, with their workers; the earliest stop first.
    ///
    /// - Complexity: O(stops + stopped hooks · workers).
    var stoppedOperations: [StoppedOperation] {
        let time = shownTime
        return workers.stoppedAttempts.compactMap { stop, since in
            guard scheduler.executingToken(of: stop.operation) == stop.token else {
                return scheduler.hookRun(stop.token).map { run in
                    let document = StopDocument(signal: stop.signal, since: time.past(since))
                    return StoppedOperation(operation: run.operation, hook: true, worker: run.worker, stop: document)
                }
            }
            let record = scheduler.record(of: stop.operation)
            // A worker may tell any age, and no attempt was stopped before it started.
            let earliest = record?.startedAt ?? since
            return StoppedOperation(
                operation: stop.operation,
                worker: record?.worker,
                stop: StopDocument(signal: stop.signal, since: time.past(max(since, earliest)))
            )
        }
    }

    /// The runs of the completion hooks of a job and its operations on workers.
    func hookRuns(of job: JobNumber) -> [OperationID: HookDocument] {
        let runs = scheduler.runsOfHooks(of: job)
        guard !runs.isEmpty else { return [:] }
        let time = shownTime
        let stops = workers.stoppedAttempts.map { stop, since in
            (stop.token, StopDocument(signal: stop.signal, since: time.past(since)))
        }
        let stopOfToken = Dictionary(stops) { first, _ in first }
        return runs.mapValues { HookDocument(worker: $0.worker, stop: stopOfToken[$0.token]) }
    }

    /// Who paused an executing operation, and since when; nil if it is not paused.
    func pause(of operation: OperationID) -> PauseDocument? {
        scheduler.pause(of: operation).map { PauseDocument(by: $0.by, since: shownTime.past($0.since)) }
    }

    /// Since when a signal keeps an executing operation stopped; nil if none does.
    func stop(of operation: OperationID) -> StopDocument? {
        stoppedOperations.first { $0.operation == operation && $0.hook == nil }?.stop
    }
}
