@_spi(Baton) import BatonOperations

/// The passing of time.
extension Machine {
    /// When something is due next; always a time, as the coordinator does periodic work.
    private var nextDeadline: Timestamp {
        var next = coordinator.nextDeadline
        for worker in workers.values { if let deadline = worker.nextDeadline { next = min(next, deadline) } }
        for client in clients.values { if let deadline = client.nextDeadline { next = min(next, deadline) } }
        return next
    }

    /// Lets time pass, timer by timer in the order of their times, until a moment or the first errand.
    ///
    /// - Returns: whether the moment has come, with nothing left to do before it.
    func run(to end: Timestamp) -> Bool {
        while !isOver, errands.isEmpty {
            let next = nextDeadline
            guard next <= end else {
                clock.move(to: end)
                return true
            }
            clock.move(to: next)
            fireTimers()
            settle()
        }
        return isOver
    }

    /// Carries out what is due now: the workers' timers first, then the coordinator's.
    private func fireTimers() {
        for number in workers.keys.sorted() {
            if let worker = workers[number], let deadline = worker.nextDeadline, deadline <= now { makeReady(worker) }
        }
        for number in clients.keys.sorted() { giveUpLateRequests(ofClient: number) }
        if coordinator.nextDeadline <= now, ready.isEmpty { takeCoordinatorTurn() }
    }
}
