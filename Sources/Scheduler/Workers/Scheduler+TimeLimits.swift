@_spi(Baton) import BatonOperations

/// Workers that end at a known time, and operations that declare how long they take.
///
/// A worker gets no operation that declares a longer time than the worker has left. As long as no worker has a time limit, and
/// nothing was reserved, the declared times play no part. From then on, ready operations that declare a time wait in lines of
/// their own.
extension Scheduler {
    /// Begins to distinguish declared times.
    ///
    /// - Complexity: O(unfinished jobs + ready nodes) once, otherwise O(1).
    mutating func distinguishTimes() {
        guard !graph.distinguishesTimes else { return }
        let waiting = dequeue { graph, node in graph.declaresTime(node) }
        graph.distinguishesTimes = true
        for place in waiting { enqueue(place) }
    }

    /// Whether a worker has enough time left for a requirement.
    func hasTime(_ worker: WorkerIndex, for requirement: Requirement?) -> Bool {
        guard let time = requirement?.time, time > 0, let end = workers[worker].endsAt else { return true }
        return end.rawValue - now.rawValue >= time
    }
}
