@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire

/// Requests about workers: drain, undrain, stop, forget, and waiting for drained workers.
extension CoordinatorCore {
    /// Performs a request about workers.
    ///
    /// - Parameter event: makes the event of the names, which are normalised, and the request.
    func changeWorkers(_ names: [String], for client: ReplyAddress, _ event: ([String], RequestID) -> Event) {
        if let refusal = storeRefusal() { return send(.refused(refusal), to: client) }
        apply(event(names.map(Name.normalized), answers.expect(for: client)))
    }

    /// Registers a client's wait for drained workers; the reply follows once nothing runs on them, or at the deadline.
    func waitForWorkers(_ names: [String], atMost limit: Duration, _ client: ReplyAddress) {
        let longest = Duration.seconds(60)
        let wait = WorkerWaits.Wait(
            client: client,
            names: Array(Set(names.map(Name.normalized))).sorted(),
            deadline: now + max(.zero, min(limit, longest))
        )
        // The turn's end answers a wait that is over already.
        guard workerWaits.add(wait) else {
            let sentence =
                "This connection has \(WorkerWaits.mostOfClient) waits for workers open, and may not have more. Name several "
                + "workers in one wait."
            return send(.refused(Refusal(.unavailable, sentence)), to: client)
        }
    }

    /// Answers the waits for workers that are over, after the changes so far are on disk.
    func answerWorkerWaits() {
        let due = workerWaits.takeDue(now: now) { scheduler.drainProgress(ofWorker: $0) }
        for (wait, answer) in due {
            var counts = JobCounts()
            if case .busy(let runs) = answer { counts.executing = runs }
            let reply: Reply =
                switch answer {
                case .idle, .busy: .progress(WaitProgress(counts: counts, isFinished: answer == .idle))
                case .notDrained(let name): .refused(.notDrained(name))
                }
            commits.append(.reply(reply, wait.client))
        }
    }
}

extension Refusal {
    /// Refuses to wait for a worker that takes operations again.
    fileprivate static func notDrained(_ name: String) -> Refusal {
        Refusal(.unavailable, "Worker \(name.asShown) is not drained (any more), and may always have something to run.")
    }
}
