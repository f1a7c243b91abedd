@_spi(Baton) import BatonOperations

/// Failing workers, which cannot start attempts through a fault of their own (D9).
extension Scheduler {
    /// Handles a worker's report that it cannot start attempts, or can again.
    mutating func workerHealth(_ session: SessionID, fault: String?) {
        guard let worker = workers.index(ofSession: session) else { return }
        if let fault { note(fault: fault, of: worker) } else { recover(worker) }
    }

    /// Updates a worker's health by the end of an attempt.
    ///
    /// - Returns: whether nothing of the attempt has run, so that it is given back as if it had never been sent.
    mutating func judgeHealth(_ end: AttemptEnd, _ token: AttemptToken, at worker: WorkerIndex) -> Bool {
        let wasTrial = workers[worker].failing.map { $0.trial == token } ?? false
        switch end {
        case .workerFault(let why, let hasRun):
            if wasTrial { rest(worker, longer: true) }
            note(fault: why, of: worker)
            return !hasRun
        // It says nothing of attempts that need no files.
        case .noRoom(_, hasRun: false): return true
        // The copies are lost, which says nothing of the worker (FI8).
        case .lostInputs: return true
        case .interrupted, .stopped: return false
        default:
            if wasTrial { recover(worker) }
            return false
        }
    }

    /// Marks a worker as failing: the worker is sent only trials, and its unstarted attempts are recalled.
    private mutating func note(fault: String, of worker: WorkerIndex) {
        guard workers[worker].failing == nil else {
            workers.change(worker) { $0.failing?.reason = fault }
            return
        }
        workers.change(worker) { $0.failing = FailingWorker(reason: fault) }
        rest(worker, longer: false)
        recallAll(from: worker)
        reportCondition(of: worker)
    }

    /// Lets a failing worker rest before its next trial.
    private mutating func rest(_ worker: WorkerIndex, longer: Bool) {
        let moment = now
        workers.change(worker) { worker in
            guard var failing = worker.failing else { return }
            if longer { failing.rest = min(failing.rest * 2, FailingWorker.longestRest) }
            failing.restsUntil = moment + failing.rest
            failing.trial = nil
            worker.failing = failing
        }
        guard let until = workers[worker].failing?.restsUntil, until != workers[timesOf: worker].triedAt else { return }
        let isReplaced = workers[timesOf: worker].triedAt != nil
        workers[timesOf: worker].triedAt = until
        timers.insert(Timer(deadline: until, purpose: .trial(workers.reference(to: worker))))
        if isReplaced { noteStaleTimers() }
    }

    /// Ends a failing worker's rest: the next attempt sent to the worker is a trial.
    mutating func allowTrial(of worker: WorkerIndex) {
        workers[timesOf: worker].triedAt = nil
        workers.change(worker) { $0.failing?.restsUntil = nil }
        hooks.isBlocked = false
    }

    /// Marks a failing worker as healthy: the worker again takes attempts for all its slots.
    private mutating func recover(_ worker: WorkerIndex) {
        guard workers[worker].failing != nil else { return }
        forgetFault(of: worker)
        hooks.isBlocked = false
        reportCondition(of: worker)
    }

    /// Forgets that a worker was failing.
    mutating func forgetFault(of worker: WorkerIndex) {
        workers.change(worker) { $0.failing = nil }
    }

    /// Reports the condition of a worker that is alive, failing or draining.
    mutating func reportCondition(of place: WorkerIndex) {
        guard workers[place].isPresent else { return }
        report(shownCondition(of: place), of: workers[place].introduction.name)
    }

    /// The condition of a worker as people see it: the first that applies.
    func shownCondition(of place: WorkerIndex) -> WorkerCondition {
        let worker = workers[place]
        return worker.isPresent && worker.failing != nil ? .failing : worker.condition
    }
}
