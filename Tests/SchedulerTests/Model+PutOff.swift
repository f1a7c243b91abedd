@_spi(Baton) import BatonOperations

@_spi(Baton) @testable import BatonScheduler

/// Requests that wait until workers have reported their started attempts (SU8, D5).
extension Model {
    /// A request that waits until its effect is known.
    struct PutOffRequest {
        let id: RequestID
        let event: Event
        /// The operations that are not sent before the request is carried out.
        let kept: Set<Int>
        /// The attempts that may or may not have started.
        var awaited: Set<AttemptToken>
        /// The time at which the request is given up.
        let deadline: Timestamp
    }

    /// The outcome of a request.
    struct Done {
        /// The time at which the request was carried out.
        let time: Timestamp
        /// The number of changes.
        var changed = 0
        /// The workers that prevented further changes.
        var unanswered: Set<String> = []
        /// Whether the request was refused, because the change would create a cycle.
        var closesCycle = false
        /// Whether the request was refused, because its operation has started or has the wrong kind.
        var isTooLate = false
        /// Whether the request was refused, because there is no such queue.
        var isMissing = false

        /// Whether silent workers prevented all changes.
        var isGivenUp: Bool { changed == 0 && !unanswered.isEmpty }
    }

    /// Carries out a request about operations that have not started, or puts the request off to ask workers.
    mutating func carryOutOrPutOff(_ event: Event, _ id: RequestID) {
        let meant = changeable(by: event)
        let awaited = Set(meant.compactMap { ops[$0].isStarted ? nil : ops[$0].token })
        guard !awaited.isEmpty else {
            done[id] = carryOut(event)
            return
        }
        let deadline = now + configuration.recallPatience
        deferRequest.append(PutOffRequest(id: id, event: event, kept: Set(meant), awaited: awaited, deadline: deadline))
    }

    /// The operations that a request would change before their start.
    private func changeable(by event: Event) -> [Int] {
        switch event {
        case .hold(let selections, _): meant(by: selections).filter { !ops[$0].isHeld }
        case .setPriority(let selections, let priority, _):
            meant(by: selections).filter { ops[$0].priority != priority }
        case .depend(let id, _, _, _): meant(by: [.operation(id)]).filter { !hasStarted(ops[$0]) }
        case .addCommand(let id, _, _):
            meant(by: [.operation(id)]).filter { ops[$0].runsCommands && !hasStarted(ops[$0]) }
        default: []
        }
    }

    /// Changes the operations that have certainly not started, and names the workers of the other operations.
    private mutating func carryOut(_ event: Event) -> Done {
        let silent = workersNames(of: changeable(by: event))
        switch event {
        case .hold(let selections, _):
            return Done(time: now, changed: hold(selections), unanswered: silent)
        case .setPriority(let selections, let priority, _):
            return Done(time: now, changed: setPriority(selections, priority), unanswered: silent)
        case .depend(let id, let dependencies, _, _):
            if closesCycle(id, dependencies) { return Done(time: now, closesCycle: true) }
            return Done(time: now, changed: depend(id, dependencies))
        case .addCommand(let id, let command, _):
            let isAdded = add(command, to: id)
            return Done(time: now, changed: isAdded ? 1 : 0, isTooLate: !isAdded)
        default:
            return Done(time: now)
        }
    }

    /// The workers that hold listed operations and have not reported a start.
    private func workersNames(of indices: [Int]) -> Set<String> {
        Set(
            indices.compactMap { index in
                ops[index].isUnstarted ? ops[index].worker ?? "of before the restart" : nil
            }
        )
    }

    /// Carries out the requests whose last awaited attempt has become known, in the order of that event.
    mutating func carryOutDue() {
        while !due.isEmpty {
            let request = due.removeFirst()
            carryOutOrPutOff(request.event, request.id)
            skipAllImpossible()
        }
    }

    /// Records that the start of an attempt, or its absence, is known.
    mutating func resolve(_ token: AttemptToken) {
        for position in deferRequest.indices { deferRequest[position].awaited.remove(token) }
        due += deferRequest.filter(\.awaited.isEmpty)
        deferRequest.removeAll(where: \.awaited.isEmpty)
    }

    /// Resolves the attempts that have become known in changes taken over from the scheduler.
    mutating func noticeKnownAttempts() {
        let unknown = Set(ops.compactMap { $0.isUnstarted ? $0.token : nil })
        for token in deferRequest.reduce(into: Set<AttemptToken>(), { $0.formUnion($1.awaited) }).subtracting(unknown) {
            resolve(token)
        }
    }

    /// Ends the wait of a request: known operations are changed, except by a request about a single operation.
    mutating func expire(_ id: RequestID) {
        guard let position = deferRequest.firstIndex(where: { $0.id == id }) else { return }
        let request = deferRequest.remove(at: position)
        switch request.event {
        case .depend, .addCommand:
            let silent = workersNames(of: changeable(by: request.event))
            done[id] = Done(time: now, changed: 0, unanswered: silent)
        default:
            done[id] = carryOut(request.event)
        }
    }
}

extension Model.Op {
    /// Whether a worker holds the operation without a reported start.
    var isUnstarted: Bool { token != nil && !isStarted }
}
