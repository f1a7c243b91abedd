import BatonOperations

extension Scheduler {
    mutating func setQueue(_ change: QueueChange, request: RequestID) {
        do throws(Refusal) {
            try change.validated()
            try checkRoom(forQueues: [change.name])
            let isChanged = changeQueue(change)
            answer(request, .changed(ChangeReport(changed: isChanged ? 1 : 0)))
        } catch {
            emit(.answer(request, .refused(error)))
        }
    }

    /// Refuses names that would create more queues than the limit allows.
    ///
    /// - Complexity: O(names), and O(1) while there are few queues.
    func checkRoom(forQueues names: [String]) throws(Refusal) {
        guard queues.count + names.count > Submission.maximumQueues else { return }
        let new = Set(names.lazy.filter { queuePlaces[$0] == nil })
        guard !new.isEmpty, queues.count + new.count > Submission.maximumQueues else { return }
        throw Refusal(
            .invalid,
            "There are \(queues.count) queues, and with \(new.count) more there would be over \(Submission.maximumQueues). "
                + "Use one of those that there are: see \"baton queue list\"."
        )
    }

    /// Creates the queue if necessary, and applies the settings that the change mentions.
    ///
    /// - Returns: whether anything has changed.
    @discardableResult
    mutating func changeQueue(_ change: QueueChange) -> Bool {
        let isNew = queuePlaces[change.name] == nil
        let place = queue(named: change.name)
        let queue = Int(place)
        let old = queues[queue].settings
        let settings = change.applied(to: old)
        // A repeated suspension also waits for the workers' answers to the first suspension (SU5, SU8).
        if settings.isSuspended { recallAll(ofQueue: place) }
        guard settings != old else { return isNew }
        queues[queue].settings = settings
        if settings.total == nil || old.total == nil { queues[queue].completed = 0 }
        keepQueue(place)
        note(.queue(change.name, settings))
        if old.isSuspended && !settings.isSuspended { finishFlagged(inQueue: place) }
        let claimed = queues[queue].counts.executing + queues[queue].sentCount
        if settings.qualityOfService != old.qualityOfService { chargeAnew(place, before: old) }
        if settings.qualityOfService != old.qualityOfService || claimed > settings.maxConcurrent ?? .max {
            recallAll(ofQueue: place)
        }
        serveQueue(place)
        return true
    }

    /// The place of a queue; a queue is created on first use.
    mutating func queue(named name: String) -> Int32 {
        if let place = queuePlaces[name] { return place }
        let place = takeIn(queue: name, QueueRecord())
        keepQueue(place)
        note(.queue(name, QueueSettings()))
        return place
    }

    mutating func takeIn(queue name: String, _ record: QueueRecord) -> Int32 {
        let place = Int32(queues.count)
        var queue = QueueState(name: name, settings: record.settings)
        queue.completed = record.completed
        queues.append(queue)
        queuePlaces[name] = place
        return place
    }

    mutating func keepQueue(_ place: Int32) {
        let queue = queues[Int(place)]
        emit(.keep(.queue(queue.name, QueueRecord(settings: queue.settings, completed: queue.completed))))
    }
}
