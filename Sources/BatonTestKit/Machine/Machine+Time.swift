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
    mutating func run(to end: Timestamp) -> Bool {
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

    /// Carries out what is due now: limits of Swift operations first, then the workers' own timers, then the coordinator's.
    private mutating func fireTimers() {
        let now = now
        for number in workers.keys.sorted() {
            guard let worker = workers[number], let deadline = worker.nextDeadline, deadline <= now else { continue }
            for (token, started) in worker.attempts.sorted(by: { $0.key < $1.key }) {
                guard let deadline = started.deadline, deadline <= now else { continue }
                worker.attempts[token]?.deadline = nil
                errands.append(.endLate(started.attempt))
            }
            makeReady(worker)
        }
        for number in clients.keys.sorted() { giveUpLateRequests(ofClient: number) }
        if coordinator.nextDeadline <= now, ready.isEmpty { takeCoordinatorTurn() }
    }
}
