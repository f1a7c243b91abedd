@_spi(Baton) import BatonOperations

/// The rates of queues (CO10).
extension Scheduler {
    /// Takes the token of an operation that is sent to a worker, and sets a timer if the next operation of the queue has to wait.
    mutating func paceStart(of queue: QueueIndex) {
        guard let moment = queues.paceStart(of: queue, at: now) else { return }
        timers.insert(Timer(deadline: moment, purpose: .queueRate(queue)))
    }

    /// Lets a queue start operations again whose wait ends at a moment.
    mutating func endRateWait(of queue: QueueIndex, for moment: Timestamp) {
        guard queues[queue].pace?.endWait(for: moment) == true else { return }
        queues[queue].gates.remove(.rate)
        queues.serve(queue)
    }
}
