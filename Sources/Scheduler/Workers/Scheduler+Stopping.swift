@_spi(Baton) import BatonOperations

/// Workers that are asked to end, and workers that are removed from the list.
extension Scheduler {
    /// Asks workers to leave; from now on they get nothing new.
    ///
    /// A worker whose connection breaks before the message arrives is asked again when the same process is back.
    mutating func stop(_ names: [String], isImmediate: Bool, request: RequestID) {
        guard let known = knownWorkers(named: names, for: request) else { return }
        if let refusal = objectionToChange(of: known, "stopped") { return emit(.answer(request, .refused(refusal))) }
        for worker in known {
            if let refusal = objectionToStop(worker) { return emit(.answer(request, .refused(refusal))) }
        }
        var report = ChangeReport(changed: 0)
        for worker in known {
            guard let place = worker.place else { continue }
            let isKnown = workers[place].stop == .now || workers[place].stop == .inOrder && !isImmediate
            workers.change(place) { $0.stop = isImmediate || $0.stop == .now ? .now : .inOrder }
            beginLeaving(place)
            // A repeated request is passed on as well: the worker may need it.
            emit(.stop(workers[place].introduction.session, isImmediate: isImmediate))
            recallAll(from: place)
            if isKnown {
                report.notes.append("Worker \(worker.name.asShown) was asked to stop before.")
            } else {
                report.changed += 1
                note(.workerRequest(worker.name, isImmediate ? .stopNow : .stop))
            }
        }
        // The worker returns what has not started on its own account, too: nobody waits for the recalls.
        requests.forgetRecalls()
        conclude(request, report)
    }

    private func objectionToStop(_ worker: KnownWorker) -> Refusal? {
        let name = worker.name.asShown
        guard let place = worker.place else {
            return Refusal(.unavailable, "Worker \(name) has left; there is nothing to stop.")
        }
        if workers[place].condition == .lost {
            return Refusal(.unavailable, "Worker \(name) is lost, and cannot be told to stop.")
        }
        guard !workers[place].isAbsent else {
            return Refusal(
                .unavailable,
                "Worker \(name) has not come back since the restart of the coordinator, and cannot be told to stop."
            )
        }
        return nil
    }

    /// Marks a worker as leaving.
    mutating func beginLeaving(_ place: WorkerIndex) {
        guard !workers[place].isLeaving else { return }
        changeTaking(of: place) { $0.isLeaving = true }
    }

    /// Removes workers from the list that are lost, or have left and are on record as drained.
    mutating func forget(_ names: [String], request: RequestID) {
        guard let known = knownWorkers(named: names, for: request) else { return }
        for worker in known {
            if let refusal = objectionToForgetting(worker) { return emit(.answer(request, .refused(refusal))) }
        }
        for worker in known {
            for id in worker.identities + drains.identities(named: worker.name) where drains[id] != nil {
                endDrain(of: id)
            }
            if let place = worker.place { forget(place) }
            note(.workerRequest(worker.name, .forget))
        }
        conclude(request, ChangeReport(changed: known.count))
    }

    private func objectionToForgetting(_ worker: KnownWorker) -> Refusal? {
        guard let place = worker.place, workers[place].condition != .lost else { return nil }
        let name = worker.name.asShown
        if workers[place].isAbsent {
            return Refusal(
                .invalid,
                "Worker \(name) has not come back since the restart of the coordinator, and is not lost yet. Only lost workers "
                    + "can be forgotten."
            )
        }
        return Refusal(
            .invalid,
            "Worker \(name) is \(shownCondition(of: place)). Only workers that are lost or have left can be forgotten."
        )
    }
}
