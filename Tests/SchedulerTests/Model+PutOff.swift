import BatonOperations

@testable import BatonScheduler

/// Requests that wait until workers have said what they have started (SU8, D5).
extension Model {
    /// A request that waits until it is known what it meets.
    struct PutOffRequest {
        let id: RequestID
        let event: Event
        /// What is not sent before it is carried out.
        let kept: Set<Int>
        /// The attempts of which it is not known whether they have started.
        var awaited: Set<AttemptToken>
        /// When it is given up.
        let deadline: Timestamp
    }

    /// What has become of a request.
    struct Done {
        /// When it was done.
        let time: Timestamp
        /// How much it changed.
        var changed = 0
        /// The workers that kept it from changing more.
        var unanswered: Set<String> = []
        /// Whether it would have created a cycle, and was refused.
        var closesCycle = false
        /// Whether it was refused, because what it is about has started or is of another kind.
        var isTooLate = false

        /// Whether nothing could be done because of silent workers.
        var isGivenUp: Bool { changed == 0 && !unanswered.isEmpty }
    }

    /// Carries out a request about what has not started, or puts it off where workers have to be asked.
    mutating func carryOutOrPutOff(_ event: Event, _ id: RequestID) {
        let meant = changeable(by: event)
        let awaited = Set(meant.compactMap { ops[$0].isStarted ? nil : ops[$0].token })
        guard !awaited.isEmpty else {
            done[id] = carryOut(event)
            return
        }
        let deadline = now + configuration.recallPatience
        putOff.append(PutOffRequest(id: id, event: event, kept: Set(meant), awaited: awaited, deadline: deadline))
    }

    /// The operations that a request would change, had they not started.
    private func changeable(by event: Event) -> [Int] {
        switch event {
        case .hold(let selections, _): meant(by: selections).filter { !ops[$0].isHeld }
        case .setPriority(let selections, let level, _): meant(by: selections).filter { ops[$0].priority != level }
        case .depend(let id, _, _, _): meant(by: [.operation(id)])
        case .addCommand(let id, _, _): meant(by: [.operation(id)]).filter { ops[$0].runsCommands }
        default: []
        }
    }

    /// Changes what is known not to have started, and names who has the rest.
    private mutating func carryOut(_ event: Event) -> Done {
        let silent = workersNames(of: changeable(by: event))
        switch event {
        case .hold(let selections, _):
            return Done(time: now, changed: hold(selections), unanswered: silent)
        case .setPriority(let selections, let level, _):
            return Done(time: now, changed: setPriority(selections, level), unanswered: silent)
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

    /// The workers that have some of a list of operations and have not said that they started them.
    private func workersNames(of indices: [Int]) -> Set<String> {
        Set(
            indices.compactMap { index in
                ops[index].isUnstarted ? ops[index].worker ?? "of before the restart" : nil
            }
        )
    }

    /// Carries out the requests whose last awaited attempt has become known, in the order in which that came.
    mutating func carryOutDue() {
        while !due.isEmpty {
            let request = due.removeFirst()
            carryOutOrPutOff(request.event, request.id)
            settle()
        }
    }

    /// Notes that it is known of an attempt whether it has started.
    mutating func resolve(_ token: AttemptToken) {
        for position in putOff.indices { putOff[position].awaited.remove(token) }
        due += putOff.filter(\.awaited.isEmpty)
        putOff.removeAll(where: \.awaited.isEmpty)
    }

    /// Notes what has become known of all attempts, where that was taken over from the scheduler.
    mutating func noticeKnownAttempts() {
        let unknown = Set(ops.compactMap { $0.isUnstarted ? $0.token : nil })
        for token in putOff.reduce(into: Set<AttemptToken>(), { $0.formUnion($1.awaited) }).subtracting(unknown) {
            resolve(token)
        }
    }

    /// Ends the wait of a request: it is done for what is known, or not at all where it is about one operation.
    mutating func giveUp(_ id: RequestID) {
        guard let position = putOff.firstIndex(where: { $0.id == id }) else { return }
        let request = putOff.remove(at: position)
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
    /// Whether a worker has it that has not said that it starts it.
    var isUnstarted: Bool { token != nil && !isStarted }
}
