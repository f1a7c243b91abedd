import BatonOperations

/// Handling of timers.
extension Scheduler {
    mutating func timePassed() {
        while let timer = timers.min, timer.deadline <= now {
            timers.removeMin()
            guard isCurrent(timer) else {
                staleTimers -= 1
                continue
            }
            switch timer.purpose {
            case .operation(let reference):
                endDelay(of: reference.place)
            case .worker(let reference):
                judgeLiveness(of: reference.place)
            case .activity(let reference):
                judgeActivity(of: reference.place)
            case .trial(let reference):
                allowTrial(of: reference.place)
            case .heldRequest(let number):
                giveUp(number)
            case .reconcileWindow:
                reconciliation.isTimeUp = true
            }
        }
    }

    /// Makes a node wait until a time.
    mutating func postpone(_ node: Int32, until time: Timestamp) {
        nodes[node].notBefore = time
        nodes[node].waiting += 1
        timers.insert(Timer(deadline: time, purpose: .operation(nodes.reference(to: node))))
    }

    /// Ends a node's delay; the timer of the delay must be gone, or be counted as stale.
    mutating func endDelay(of node: Int32) {
        nodes[node].notBefore = nil
        nodes[node].waiting -= 1
        if nodes[node].waiting == 0 { advance(node, on: .conditionsMet) }
        keepRecord(of: node)
    }

    /// Whether any operation may be waiting for a time.
    ///
    /// - Complexity: O(1) while many operations wait, O(workers) while none waits.
    public var isAnythingPostponed: Bool {
        timers.elements.contains { if case .operation = $0.purpose { true } else { false } }
    }

    /// Whether the subject of a timer still waits for the timer.
    func isCurrent(_ timer: Timer) -> Bool {
        switch timer.purpose {
        case .operation(let reference):
            nodes.resolve(reference).map { nodes[$0].notBefore == timer.deadline } ?? false
        case .worker(let reference):
            workers.resolve(reference).map { workers[$0].judgedAt == timer.deadline } ?? false
        case .activity(let reference):
            workers.resolve(reference).map { workers[$0].isActivityWatched } ?? false
        case .trial(let reference):
            workers.resolve(reference).map { workers[$0].triedAt == timer.deadline } ?? false
        case .heldRequest(let number):
            heldRequests[number].map { !$0.awaited.isEmpty } ?? false
        case .reconcileWindow:
            reconciliation.isOpen
        }
    }

    /// Counts a stale timer; once most timers are stale, removes the stale timers.
    ///
    /// - Complexity: O(1), amortised.
    mutating func noteStaleTimer() {
        staleTimers += 1
        guard staleTimers > 64, staleTimers > timers.count / 2 else { return }
        timers = BinaryHeap(timers.elements.filter { isCurrent($0) })
        staleTimers = 0
    }
}
