import BatonOperations

/// Workers that cannot start what they are sent through a fault of their own (D9).
extension Scheduler {
    /// Takes a worker's word that it cannot start attempts, or can again.
    mutating func workerHealth(_ session: SessionID, fault: String?) {
        guard let worker = hear(session) else { return }
        if let fault { note(fault: fault, of: worker) } else { recover(worker) }
    }

    /// Judges a worker by the end of an attempt.
    mutating func judgeTrial(_ end: AttemptEnd, _ token: AttemptToken, at worker: Int32) {
        let wasTrial = workers[worker].failing.map { $0.trial == token } ?? false
        switch end {
        case .workerFault(let why, _):
            if wasTrial { rest(worker, longer: true) }
            note(fault: why, of: worker)
        case .interrupted: break
        default: if wasTrial { recover(worker) }
        }
    }

    /// Keeps a worker from being sent anything but trials, and takes back what it has not started.
    private mutating func note(fault: String, of worker: Int32) {
        guard workers[worker].failing == nil else {
            workers[worker].failing?.reason = fault
            return
        }
        changeWorker(worker) { $0.failing = FailingWorker(reason: fault) }
        rest(worker, longer: false)
        for token in workers[worker].sent.suffix(.max) {
            if let node = workers[worker].attempts[token] { recall(node) }
        }
        tellStanding(of: worker)
    }

    /// Lets a failing worker rest before it is sent another trial.
    private mutating func rest(_ worker: Int32, longer: Bool) {
        let moment = now
        changeWorker(worker) { worker in
            guard var failing = worker.failing else { return }
            if longer { failing.rest = min(failing.rest * 2, FailingWorker.longestRest) }
            failing.restsUntil = moment + failing.rest
            failing.trial = nil
            worker.failing = failing
        }
        guard let until = workers[worker].failing?.restsUntil, until != workers[worker].triedAt else { return }
        let isReplaced = workers[worker].triedAt != nil
        workers[worker].triedAt = until
        timers.insert(Timer(deadline: until, purpose: .trial(workers.reference(to: worker))))
        if isReplaced { noteStaleTimer() }
    }

    /// Lets a failing worker be sent an attempt to try.
    mutating func allowTrial(of worker: Int32) {
        workers[worker].triedAt = nil
        changeWorker(worker) { $0.failing?.restsUntil = nil }
        hooks.isBlocked = false
    }

    /// Lets a worker that was failing be sent whatever it has room for.
    private mutating func recover(_ worker: Int32) {
        guard workers[worker].failing != nil else { return }
        forgetFault(of: worker)
        hooks.isBlocked = false
        tellStanding(of: worker)
    }

    /// Forgets that a worker was failing.
    mutating func forgetFault(of worker: Int32) {
        changeWorker(worker) { $0.failing = nil }
    }

    /// Tells how a worker stands that is there.
    mutating func tellStanding(of place: Int32) {
        let worker = workers[place]
        guard worker.condition == .alive || worker.condition == .draining else { return }
        tell(worker.failing == nil ? worker.condition : .failing, of: worker.introduction.name)
    }
}
