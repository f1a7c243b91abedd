@_spi(Baton) import BatonOperations

/// Workers that get nothing new because an administrator wants it so, until the request is taken back.
///
/// A drained worker stays connected and finishes what it runs. Completion hooks go to other workers; only while no other worker
/// takes anything new do drained workers get them, because a finished operation would otherwise keep its hook waiting for a
/// worker that nobody plans to bring back.
extension Scheduler {
    mutating func drain(_ names: [String], request: RequestID) {
        guard let known = knownWorkers(named: names, for: request) else { return }
        if let refusal = objectionToChange(of: known, "drained") { return emit(.answer(request, .refused(refusal))) }
        if let unknown = known.first(where: { $0.identities.isEmpty }) {
            return emit(.answer(request, .refused(.unknownIdentity(of: unknown.name))))
        }
        var report = ChangeReport(changed: 0)
        for worker in known {
            // What has not started is recalled, also by a repeated request: its answer is a promise as well.
            defer { if let place = worker.place { recallAll(from: place) } }
            let isNew = worker.identities.contains { drains[$0] == nil }
            guard isNew else {
                report.notes.append("Worker \(worker.name.asShown) is drained already.")
                continue
            }
            let record = DrainRecord(name: worker.name, by: current.requester?.text, since: now)
            for id in worker.identities where drains[id] == nil {
                drains[id] = record
                emit(.commit(.drain(id, record)))
            }
            note(.workerRequest(worker.name, .drain))
            report.changed += 1
            if let place = worker.place { applyDrain(to: place) }
        }
        conclude(request, report)
    }

    mutating func undrain(_ names: [String], request: RequestID) {
        guard let known = knownWorkers(named: names, for: request) else { return }
        var report = ChangeReport(changed: 0)
        for worker in known {
            let drained = (worker.identities + drains.identities(named: worker.name)).filter { drains[$0] != nil }
            guard !drained.isEmpty else {
                report.notes.append("Worker \(worker.name.asShown) is not drained.")
                continue
            }
            for id in Set(drained).sorted(by: { $0.rawValue < $1.rawValue }) { endDrain(of: id) }
            note(.workerRequest(worker.name, .undrain))
            report.changed += 1
            if let place = worker.place { applyDrain(to: place) }
        }
        conclude(request, report)
    }

    /// Removes a drain from the record.
    mutating func endDrain(of id: WorkerID) {
        drains[id] = nil
        emit(.commit(.drain(id, nil)))
    }

    /// Makes a worker's condition follow the drains, after a change.
    private mutating func applyDrain(to place: WorkerIndex) {
        let isDrained = drains[workers[place].introduction.id] != nil
        guard isDrained != workers[place].isDrained else { return }
        changeTaking(of: place) { $0.isDrained = isDrained }
    }

    /// Changes whether a worker takes anything new.
    mutating func changeTaking(of place: WorkerIndex, _ change: (inout WorkerState) -> Void) {
        let before = shownCondition(of: place)
        workers.change(place) { worker in
            change(&worker)
            worker.becomePresent(worker.isPresent)
        }
        // Without an alive worker, drained workers take the completion hooks, and otherwise alive ones do.
        hooks.isBlocked = false
        if shownCondition(of: place) != before { reportCondition(of: place) }
        if workers[place].takesCopies { considerForCopies(place) } else { withdrawCopies(from: place) }
    }

    /// Recalls all attempts that a worker was sent and has not started; the current request waits for the answers.
    mutating func recallAll(from place: WorkerIndex) {
        for token in workers[place].sent.all {
            if let node = workers[place].attempts[token] { recall(node) }
        }
    }

    /// Whether any worker takes new work.
    ///
    /// - Complexity: O(workers).
    var isAnyWorkerTaking: Bool { workers.indexes.contains { workers[$0].isOpen } }
}

/// What drained workers have left to do.
@_spi(Baton) extension Scheduler {
    /// How far a worker has come on its way to having nothing to run.
    public enum DrainProgress: Hashable, Sendable {
        /// Nothing runs on the worker, and nothing can start there.
        case idle
        /// The worker has this many attempts and completion hooks, or may have some; at least 1.
        case busy(Int)
        /// The worker takes new work.
        case notDrained
    }

    /// How far a worker has come on its way to having nothing to run; a worker that nobody knows has nothing to run.
    ///
    /// - Complexity: O(1), and O(workers) while completion hooks wait for a worker.
    public func drainProgress(ofWorker name: String) -> DrainProgress {
        guard let place = workers.index(ofName: name), workers[place].condition != .lost else { return .idle }
        guard workers[place].isDrained || workers[place].isLeaving else { return .notDrained }
        var runs = workers[place].attempts.count + workers[place].hooks.count
        // The record may lack the last dispatches of before a restart.
        if runs == 0, workers[place].isAbsent, reconciliation.isOpen { runs = 1 }
        if runs == 0, workers[place].takesLastHooks, !hooks.places.isEmpty, !isAnyWorkerTaking { runs = 1 }
        return runs > 0 ? .busy(runs) : .idle
    }
}

extension Refusal {
    /// Refuses a change of a worker of which only the name is known.
    fileprivate static func unknownIdentity(of name: String) -> Refusal {
        Refusal(
            .unavailable,
            "The identity of worker \(name.asShown) is not known before it has reconnected, so that it cannot be drained. Try "
                + "again then."
        )
    }
}
