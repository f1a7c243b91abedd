public import BatonOperations

/// Waits of running operations that can never end (WA3).
extension Scheduler {
    /// What keeps an awaited operation from ever ending while some operations wait.
    private enum Obstacle {
        /// It is one of those that wait.
        case waits
        /// It needs a slot, and only those that wait have one.
        case slot
        /// Its queue executes no more at once, and only those that wait are executing.
        case limit(queue: String, Int)
    }

    /// Why a wait of a running operation can never end: what it waits for cannot end before it ends itself, or gives up its
    /// slot, its place within its queue's limit, or its place before a barrier.
    ///
    /// - Parameters:
    ///   - waiter: the operation that asks; one that is not executing may wait for anything.
    ///   - selections: what it wants to wait for.
    ///   - waiters: what other running operations already wait for.
    /// - Returns: nil where the wait may be entered; else the refusal, whose path names the loop.
    /// - Complexity: O(what is waited for, directly or not, times the waiters).
    public func deadlock(
        of waiter: OperationID,
        for selections: [OperationSelection],
        among waiters: [OperationID: [OperationSelection]]
    ) -> Refusal? {
        guard let place = node(for: waiter), nodes[place].stage == .executing else { return nil }
        var waits: [Int32: [OperationSelection]] = [:]
        for (other, targets) in waiters {
            if let other = node(for: other), nodes[other].stage == .executing { waits[other] = targets }
        }
        waits[place] = nil
        // Those of the others go on whose own waits can end; that may let further ones go on.
        var stuck = Set(waits.keys)
        stuck.insert(place)
        var cuts = BarrierCuts()
        var isChanged = true
        while isChanged {
            isChanged = false
            for (other, targets) in waits where stuck.contains(other) {
                if obstacle(for: targets, stuck: stuck, &cuts) == nil {
                    stuck.remove(other)
                    isChanged = true
                }
            }
        }
        guard let (obstacle, path) = obstacle(for: selections, stuck: stuck, &cuts) else { return nil }
        return refusal(of: place, obstacle, path)
    }

    /// Operations that wait, and what that takes from all others.
    private struct Standstill {
        /// Those that wait.
        var stuck: Set<Int32>
        /// Whether nothing else executes, and no slot is free.
        var takesAllSlots = false
        /// The queues in which nothing else executes, and whose limits let nothing more start.
        var fullQueues: Set<Int32> = []
    }

    private func standstill(of stuck: Set<Int32>) -> Standstill {
        var result = Standstill(stuck: stuck)
        var stuckInQueues: [Int32: Int] = [:]
        var stuckOnWorkers = 0
        for place in stuck {
            stuckInQueues[nodes[place].queue, default: 0] += 1
            if nodes[place].worker >= 0, workers[nodes[place].worker].isAlive { stuckOnWorkers += 1 }
        }
        for (place, number) in stuckInQueues {
            let queue = queues[Int(place)]
            if let limit = queue.settings.maxConcurrent, limit > 0, queue.counts.executing >= limit,
                queue.counts.executing <= number
            {
                result.fullQueues.insert(place)
            }
        }
        var slots = 0
        var executing = 0
        for worker in workers.places where workers[worker].isAlive {
            slots += workers[worker].introduction.slots
            executing += workers[worker].attempts.count - workers[worker].sent.count
        }
        result.takesAllSlots = slots > 0 && executing >= slots && executing <= stuckOnWorkers
        return result
    }

    /// The first thing that never ends while some operations wait, with the way that leads to it.
    private func obstacle(
        for selections: [OperationSelection],
        stuck: Set<Int32>,
        _ cuts: inout BarrierCuts
    ) -> (Obstacle, [Int32])? {
        let standstill = standstill(of: stuck)
        var origins: [Int32: Int32] = [:]
        var open = selections.flatMap { nodesHeld(by: $0) }
        for node in open { origins[node] = node }
        while let node = open.popLast() {
            if let obstacle = obstacle(at: node, standstill) {
                var path = [node]
                while let step = path.last, let origin = origins[step], origin != step { path.append(origin) }
                return (obstacle, path.reversed())
            }
            for next in nodesAwaited(by: node, &cuts) where origins[next] == nil {
                origins[next] = node
                open.append(next)
            }
        }
        return nil
    }

    private func obstacle(at place: Int32, _ standstill: Standstill) -> Obstacle? {
        let node = nodes[place]
        guard node.stage != .executing else { return standstill.stuck.contains(place) ? .waits : nil }
        // It ends without a slot, when its queue is resumed (SU4).
        guard !node.isCancelled else { return nil }
        if standstill.fullQueues.contains(node.queue) {
            let queue = queues[Int(node.queue)]
            return .limit(queue: queue.name, queue.settings.maxConcurrent ?? 0)
        }
        return standstill.takesAllSlots ? .slot : nil
    }

    private func refusal(of waiter: Int32, _ obstacle: Obstacle, _ path: [Int32]) -> Refusal {
        let own = shortName(of: nodes[waiter])
        let names = path.map { shortName(of: nodes[$0]) }
        let last = names.last ?? own
        let because: String
        switch obstacle {
        case .waits where path.last == waiter && path.count == 1:
            because = "it would wait for itself"
        case .waits where path.last == waiter:
            because = "\(names[0]) cannot end before \(own) has ended"
        case .waits:
            because = "\(last) waits itself for something that cannot end before \(own) has ended"
        case .slot:
            because = "\(last) needs a slot, and all slots are taken by operations that wait, \(own) among them"
        case .limit(let queue, let limit):
            because =
                "the queue \"\(queue)\" executes at most \(limit) at once, and \(last) cannot start before \(own) has ended"
        }
        let loop = [own] + names + (path.last == waiter ? [] : [own])
        return Refusal(
            .deadlock,
            "\(own) would wait for ever: \(because) (\(Refusal.text(ofPath: loop))). Nothing was waited for.",
            path: loop
        )
    }
}
