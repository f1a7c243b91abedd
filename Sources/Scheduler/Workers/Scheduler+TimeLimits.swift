@_spi(Baton) import BatonOperations

/// Workers that end at a known time, and operations that declare how long they take.
///
/// A worker gets no operation that declares a longer time than the worker has left. As long as no worker has a time limit, the
/// declared times play no part. From the first such worker on, ready operations that declare a time wait in lines of their own.
extension Scheduler {
    /// Begins to distinguish declared times if a worker joins that has a time limit.
    ///
    /// - Complexity: O(unfinished jobs + ready nodes) once, otherwise O(1).
    mutating func distinguishTimes(for newcomer: WorkerIntroduction) {
        guard newcomer.timeLeft != nil, !graph.distinguishesTimes else { return }
        let waiting = dequeue { graph, node in graph.declaresTime(node) }
        graph.distinguishesTimes = true
        for place in waiting { enqueue(place) }
    }

    /// Whether a worker has enough time left for a requirement.
    func hasTime(_ worker: WorkerIndex, for requirement: Requirement?) -> Bool {
        guard let time = requirement?.time, time > 0, let end = workers[worker].endsAt else { return true }
        return end.rawValue - now.rawValue >= time
    }

    /// The worker with the most free slots among those that meet a requirement; nil if none with a free slot does.
    ///
    /// - Complexity: that of ``TypeIndex/freeWorker(for:)``; for a requirement with a time, O(workers · types).
    func freeWorker(for requirement: Requirement) -> WorkerIndex? {
        guard requirement.time > 0 else {
            return requirement.type.flatMap { workers.types.freeWorker(for: $0) } ?? workers.freeWorker
        }
        return workers.indexes.lazy.filter { worker in
            self.workers[worker].freeSlots > 0 && hasTime(worker, for: requirement)
                && requirement.type.map { self.workers[worker].introduction.types.contains($0) } ?? true
        }.max { workers[$0].freeSlots < workers[$1].freeSlots }
    }

    /// Whether operations with a requirement can be next: a free worker meets the requirement, or, while no slot is free at
    /// all, a worker that they can be sent ahead to.
    func isServable(_ requirement: Requirement) -> Bool {
        if let type = requirement.type, workers.types.freeTypes[type] == nil { return false }
        guard requirement.time > 0 else { return true }
        if workers.freeWorker != nil { return freeWorker(for: requirement) != nil }
        return requirement.type == nil
            && workers.indexes.contains { workers[$0].isOpen && hasTime($0, for: requirement) }
    }
}
