@_spi(Baton) import BatonOperations

extension Scheduler {
    mutating func setQueue(_ change: QueueChange, request: RequestID) {
        do throws(Refusal) {
            try change.validated()
            try checkRoom(forQueues: [change.name])
            changeQueue(change, request: request)
        } catch {
            emit(.answer(request, .refused(error)))
        }
    }

    /// Refuses names that would create more queues than the limit allows.
    ///
    /// - Complexity: O(names), and O(1) while there are few queues.
    func checkRoom(forQueues names: [String]) throws(Refusal) {
        guard queues.count + names.count > Submission.maximumQueues else { return }
        let new = Set(names.lazy.filter { queues.index(ofName: $0) == nil })
        guard !new.isEmpty, queues.count + new.count > Submission.maximumQueues else { return }
        throw Refusal(
            .invalid,
            "There are \(queues.count) queues, and with \(new.count) more there would be over \(Submission.maximumQueues). "
                + "Use an existing queue."
        )
    }

    /// Creates the queue if necessary, applies the settings that the change mentions, and answers the request.
    ///
    /// - Parameter request: the request for the change; nil for a change that a submission brings.
    mutating func changeQueue(_ change: QueueChange, request: RequestID? = nil) {
        let isNew = queues.index(ofName: change.name) == nil
        let queue = queue(named: change.name)
        let old = queues[queue].settings
        let settings = change.applied(to: old)
        // A repeated suspension also waits for the workers' answers to the first suspension (SU5, SU8).
        if settings.isSuspended { recallAll(ofQueue: queue) }
        let completed = queues[queue].completed
        let isReached = old.total.map { completed >= UInt64($0) } ?? true
        // A total that has been reached belongs to earlier operations: setting it, also to the same, starts the progress anew (PG4).
        let startsAnew = settings.total == nil || change.total != nil && isReached
        let isChanged = settings != old || startsAnew && completed > 0
        let report = ChangeReport(changed: isNew || isChanged ? 1 : 0)
        guard isChanged else {
            if let request { answer(request, .changed(report)) }
            return
        }
        queues[queue].settings = settings
        if startsAnew { queues[queue].completed = 0 }
        if settings.startRate != old.startRate { queues.setPace(of: queue) }
        commitQueue(queue)
        note(.queue(change.name, settings))
        let isResumed = old.isSuspended && !settings.isSuspended
        let finishesInTurns = isResumed && takesTurns(queues[queue].flagged.count)
        if isResumed && !finishesInTurns { finishFlagged(inQueue: queue) }
        let claimed = queues[queue].counts.executing + queues[queue].sentCount
        if settings.qualityOfService != old.qualityOfService { queues.chargeAnew(queue, before: old) }
        // What was sent ahead would start without being counted.
        let isNewlyPaced = settings.startRate != nil && old.startRate == nil
        if settings.qualityOfService != old.qualityOfService || claimed > settings.maxConcurrent ?? .max || isNewlyPaced
        {
            recallAll(ofQueue: queue)
        }
        queues.serve(queue)
        if finishesInTurns {
            beginToFinishFlagged(inQueue: queue, report, request: request)
        } else if let request {
            answer(request, .changed(report))
        }
    }

    /// The index of a queue; a queue is created on first use.
    mutating func queue(named name: String) -> QueueIndex {
        if let queue = queues.index(ofName: name) { return queue }
        let queue = queues.insert(name, QueueRecord())
        commitQueue(queue)
        note(.queue(name, QueueSettings()))
        return queue
    }

    /// Records the settings of a queue.
    mutating func commitQueue(_ index: QueueIndex) {
        let queue = queues[index]
        emit(.commit(.queue(queue.name, QueueRecord(settings: queue.settings, completed: queue.completed))))
    }
}
