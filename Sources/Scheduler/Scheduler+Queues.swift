import Operations

extension Scheduler {
    mutating func setQueue(_ change: QueueChange, request: RequestID) {
        do throws(Refusal) {
            try change.validated()
            changeQueue(change)
            emit(.answer(request, .done))
        } catch {
            emit(.answer(request, .refused(error)))
        }
    }

    /// Makes the queue where there is none, and sets what the change mentions.
    mutating func changeQueue(_ change: QueueChange) {
        let place = queue(named: change.name)
        let settings = change.applied(to: queues[Int(place)].settings)
        guard settings != queues[Int(place)].settings else { return }
        queues[Int(place)].settings = settings
        emit(.keep(.queue(change.name, settings)))
        serveQueue(place)
    }

    /// The place of a queue; queues are made on first use.
    mutating func queue(named name: String) -> Int32 {
        if let place = queuePlaces[name] { return place }
        let place = takeIn(queue: name, settings: QueueSettings())
        emit(.keep(.queue(name, QueueSettings())))
        return place
    }

    mutating func takeIn(queue name: String, settings: QueueSettings) -> Int32 {
        let place = Int32(queues.count)
        queues.append(QueueState(name: name, settings: settings))
        queuePlaces[name] = place
        return place
    }
}
