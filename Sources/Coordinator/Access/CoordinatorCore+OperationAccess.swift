@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire

/// Limits running operations to their own affairs (CA11).
extension CoordinatorCore {
    /// The run that an operation has proved to be, if it has not ended and is on the claimed worker; otherwise nil.
    func presentRun(of claim: OperationClaim) -> PresentRun? {
        let run = scheduler.presentRun(of: claim.operationID, attempt: claim.attempt, claim.attemptToken)
        guard let run, run.worker ?? WorkerID(rawValue: claim.worker) == WorkerID(rawValue: claim.worker) else {
            return nil
        }
        return run
    }

    /// The reason for refusing an operation's request because of its targets; nil for none.
    ///
    /// - Parameters:
    ///   - request: a request that the role permits.
    ///   - operation: the operation that asks.
    ///   - queue: the queue of the operation.
    func objection(to request: Request, by operation: OperationID, in queue: String) -> Refusal? {
        switch request {
        case .reportProgress(let target, _, _):
            return target == operation ? nil : .otherProgress(of: target, by: operation)
        case .filePiece(let target, _, _, _):
            return target.job == operation.job ? nil : .otherFiles(of: target, by: operation)
        case .add(_, let job): return objection(to: request, [.job(job)], by: operation, in: queue)
        case .close(let jobs): return objection(to: request, jobs.map { .job($0) }, by: operation, in: queue)
        case .cancel(_, let other?) where other != queue:
            return .otherQueue(other, by: operation)
        case .cancel(let targets, _), .hold(let targets), .release(let targets), .pause(let targets),
            .resume(let targets), .signal(let targets, _), .setPriority(let targets, _):
            return objection(to: request, targets, by: operation, in: queue)
        case .depend(let target, _), .undepend(let target, _), .addCommand(let target, _):
            return objection(to: request, [target], by: operation, in: queue)
        case .submit, .retry, .wait, .watch, .document, .log, .outputs, .history, .result, .setQueue, .deleteQueue,
            .setLimit, .drain, .undrain, .stop, .forget, .delete, .waitForWorkers, .addSchedule, .changeSchedule,
            .startSchedule, .missingFiles, .sentPiece:
            return nil
        }
    }

    private func objection(
        to request: Request,
        _ targets: [Address],
        by operation: OperationID,
        in queue: String
    ) -> Refusal? {
        targets.first { !mayChange($0, operation, in: queue) }
            .map { .otherTarget($0, of: request, by: operation, in: queue) }
    }

    /// Whether an operation may change the jobs and operations at an address (CA11).
    ///
    /// An operation may change its own job, the jobs that one of its attempts has submitted, and the operations in its queue.
    private func mayChange(_ target: Address, _ operation: OperationID, in queue: String) -> Bool {
        if target.job == operation.job || scheduler.submitter(of: target.job) == operation.description { return true }
        // A number that no job has yet may become the number of any job before the request is performed.
        guard scheduler.hasGiven(target.job) else { return false }
        // A request cannot change a finished job or operation.
        switch target {
        case .job(let job), .operations(let job, _): return scheduler.counts(of: job) == nil
        case .operation, .named: break
        }
        return scheduler.queue(of: target).map { $0 == queue } ?? true
    }
}
