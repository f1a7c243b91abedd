@_spi(Baton) import BatonOperations

@_spi(Baton) @testable import BatonScheduler

/// The allowed dispatches of the scheduler, and the required dispatches.
extension Model {
    /// Records a dispatch.
    ///
    /// - Returns: the rules that the dispatch breaks.
    mutating func send(_ assignment: Dispatch) -> [String] {
        guard let place = places[assignment.operation] else { return ["\(assignment.operation) is not there"] }
        var wrong: [String] = []
        // A withheld attempt was given to its worker before.
        if ops[place].token != assignment.token {
            if mustBeCommitted(ops[place]) { wrong.append("\(ops[place].id) was sent before that could be on disk") }
            wrong += give(place, assignment.token, to: assignment.session)
        }
        let op = ops[place]
        if op.worker != name(of: assignment.session) { wrong.append("\(op.id) was sent to another worker") }
        if op.isWithheld || op.isRecalled { wrong.append("\(op.id) was sent, and was to be kept back") }
        if Int(assignment.attempt) != op.attempts + 1 {
            wrong.append("\(op.id) was sent as attempt \(assignment.attempt) after \(op.attempts)")
        }
        if hasInputs(op) && !assignment.hasInputs || assignment.hasInputs && !op.hadInputs && !hasInputs(op) {
            wrong.append("\(op.id) was sent with inputs: \(assignment.hasInputs)")
        }
        let work = assignment.work.kind
        if work != op.work { wrong.append("\(op.id) was sent as \(work), and is \(op.work)") }
        if assignment.work.timeout != op.presentTimeout {
            wrong.append("\(op.id) was sent with the timeout \(assignment.work.timeout as Any)")
        }
        if assignment.queue != op.queue { wrong.append("\(op.id) is mixed up") }
        return wrong
    }

    /// Records an attempt that is sent as soon as it is on disk.
    ///
    /// - Returns: the rules that the attempt breaks.
    mutating func withhold(_ id: OperationID, _ token: AttemptToken, for session: SessionID) -> [String] {
        guard let place = places[id] else { return ["\(id) is not there"] }
        let wrong = give(place, token, to: session)
        ops[place].isWithheld = true
        return wrong + (mayBeCommittedFirst(ops[place]) ? [] : ["\(id) was withheld for nothing"])
    }

    /// Gives an operation to a worker, perhaps before the dispatch.
    private mutating func give(_ place: Int, _ token: AttemptToken, to session: SessionID) -> [String] {
        let op = ops[place]
        var wrong: [String] = []
        if !isRecordWritable { wrong.append("\(op.id) was sent while nothing can be committed") }
        if state(op) != .ready || op.token != nil || op.isCancelled {
            wrong.append("\(op.id) was sent at \(state(op))")
        }
        if !mayStart(op.queue) { wrong.append("\(op.id) was sent, and \(op.queue) may start nothing") }
        let first = line(of: op.queue).first { findsSlot(ops[$0].type) }
        if first != place { wrong.append("\(op.id) was sent before \(first.map { ops[$0].id.description } ?? "any")") }
        if isHigherAhead(of: place) { wrong.append("\(op.id) was sent while a higher one waits at a worker") }
        let name = name(of: session)
        var isPrefetched = false
        if let name, let worker = workers[name] {
            if !isOpen(worker) { wrong.append("\(op.id) was sent to \(name), which is not open") }
            let count = attempts(of: name).count
            isPrefetched = count >= worker.slots
            if isPrefetched, workers.keys.contains(where: { freeSlots($0) > 0 }) {
                wrong.append("\(op.id) was sent ahead while there is a free slot")
            }
            if isPrefetched, op.type != nil || !worker.types.isEmpty {
                wrong.append("\(op.id) was sent ahead to \(name), one of them for a type")
            }
            if let type = op.type, !worker.types.contains(type) {
                wrong.append("\(op.id) was sent to \(name), which does not run \(type)")
            }
            let limit = if case .atMost(let limit) = configuration.sendAhead { limit } else { 1024 }
            // The same number again may be sent of queues whose turn comes before the operations already at the worker
            // (QO5).
            if count >= worker.slots + limit + max(worker.slots, limit) {
                wrong.append("\(op.id) was sent too far ahead")
            }
        } else {
            wrong.append("\(op.id) was sent in an unknown session")
        }
        ops[place].token = token
        ops[place].worker = name
        ops[place].isPrefetched = isPrefetched
        return wrong
    }

    /// The missing dispatches and recalls.
    func omissions() -> [String] {
        guard isRecordWritable else { return [] }
        var wrong: [String] = []
        for request in deferRequest {
            for op in ops where !op.isRecalled && op.token.map({ request.awaited.contains($0) }) ?? false {
                wrong.append("\(op.id) was not taken back for a request")
            }
        }
        let isFree = workers.keys.contains { freeSlots($0) > 0 }
        var hasRoom = isFree
        if case .atMost(let limit) = configuration.sendAhead {
            hasRoom =
                isFree
                || workers.contains { name, worker in
                    worker.types.isEmpty && isOpen(worker) && attempts(of: name).count < worker.slots + limit
                }
        }
        for queue in queues.keys.sorted() {
            let line = line(of: queue)
            let first = line.first { findsSlot(ops[$0].type) }
            // No operation overtakes a queue whose turn has come and that has to wait (QO5).
            let mayBeNext = isFree || hasRoom && !isAnyWaitingForHigher
            if mayBeNext, mayStart(queue), let first, !isHigherAhead(of: first) {
                wrong.append("\(ops[first].id) was not sent")
            }
            if isFree, mayStart(queue), let first {
                for op in ops
                where op.queue == queue && op.outcome == nil && op.isPrefetched
                    && op.priority > ops[first].priority
                {
                    if !op.isRecalled { wrong.append("\(op.id) was not taken back for a free slot") }
                }
            }
            // PR9: a waiting operation does not start before a higher operation.
            guard let highest = line.filter({ ops[$0].type == nil }).map({ ops[$0].priority }).max() else { continue }
            for op in ops
            where op.queue == queue && op.outcome == nil && op.isPrefetched
                && op.priority < highest
            {
                if !op.isRecalled { wrong.append("\(op.id) was not taken back for a higher one") }
            }
        }
        if isFree, !ops.contains(where: { $0.isRecalled && $0.token != nil }),
            let loaded = workers.keys.sorted().first(where: { isWaitedAt($0) })
        {
            wrong.append("nothing was taken back from \(loaded) for an idle worker")
        }
        return wrong
    }

    /// Whether a higher operation of the same queue was prefetched and waits for a slot: until the start of the higher
    /// operation, no lower operation is sent (PR2).
    func isHigherAhead(of index: Int) -> Bool {
        ops.contains { $0.queue == ops[index].queue && $0.priority > ops[index].priority && $0.isPrefetched }
    }

    /// Whether a queue with startable operations waits, because a higher operation waits at a worker.
    var isAnyWaitingForHigher: Bool {
        queues.keys.contains { queue in
            guard mayStart(queue), let first = line(of: queue).first(where: { findsSlot(ops[$0].type) }) else {
                return false
            }
            return isHigherAhead(of: first)
        }
    }

    /// Whether a worker has an operation without a free slot.
    private func isWaitedAt(_ name: String) -> Bool {
        guard let worker = workers[name], isOpen(worker) else { return false }
        let places = attempts(of: name)
        return places.count > worker.slots && places.contains { !ops[$0].isStarted }
    }
}
