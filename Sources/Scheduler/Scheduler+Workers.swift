import Operations

/// Workers that come, are silent, and go.
extension Scheduler {
    /// The most slots that a worker may have; more is taken as this.
    static let maximumSlots = 4096

    mutating func workerJoined(_ introduction: WorkerIntroduction) {
        if let other = sessions[introduction.session], workers[other].introduction.name != introduction.name {
            emit(.unknownSession(introduction.session))
            return
        }
        var introduction = introduction
        introduction.slots = min(max(introduction.slots, 1), Self.maximumSlots)
        let (place, earlier) = seat(introduction)
        var unclaimed = earlier
        var stale: [AttemptToken] = []
        var toEnd: [AttemptToken] = []
        for held in introduction.attempts {
            guard let node = claim(held, from: &unclaimed) else {
                stale.append(held.token)
                continue
            }
            if nodes[node].state == .executing {
                bind(node, to: place)
            } else {
                advance(node, on: .dispatched, Circumstances(worker: place, token: held.token))
            }
            if nodes[node].isCancelled { toEnd.append(held.token) }
        }
        introduction.attempts = []
        changeWorker(place) { $0.introduction = introduction }
        emit(.welcome(introduction.session, stale: stale))
        if !toEnd.isEmpty { emit(.endAttempts(introduction.session, toEnd)) }
        emit(.worker(introduction.name, .alive))
        for (_, node) in unclaimed.sorted(by: { $0.key < $1.key }) { lose(node, with: introduction.name) }
    }

    /// Gives a worker its place, which is that of the worker of the same name where there is one.
    ///
    /// - Returns: the place, and the attempts that the worker ran in its earlier session.
    private mutating func seat(_ introduction: WorkerIntroduction) -> (place: Int32, attempts: [AttemptToken: Int32]) {
        guard let place = workerPlaces[introduction.name] else {
            let place = workers.insert(WorkerState(introduction: introduction, lastHeard: now))
            workerPlaces[introduction.name] = place
            sessions[introduction.session] = place
            changeWorker(place) { _ in }
            watch(place, until: now + configuration.suspectAfter)
            return (place, [:])
        }
        let old = workers[place]
        if old.introduction.session != introduction.session {
            sessions[old.introduction.session] = nil
            if let forgotten = old.supersededSession { supersededSessions[forgotten] = nil }
            supersededSessions[old.introduction.session] = place
        }
        sessions[introduction.session] = place
        for node in old.attempts.values { nodes[node].worker = -1 }
        let superseded =
            old.introduction.session == introduction.session ? old.supersededSession : old.introduction.session
        let moment = now
        changeWorker(place) { worker in
            worker.introduction = introduction
            worker.supersededSession = superseded
            worker.condition = .alive
            worker.lastHeard = moment
            worker.attempts = [:]
        }
        if old.condition == .lost { watch(place, until: now + configuration.suspectAfter) }
        return (place, old.attempts)
    }

    /// Finds the operation that a returning worker holds a valid attempt of.
    private mutating func claim(
        _ held: WorkerIntroduction.HeldAttempt,
        from unclaimed: inout [AttemptToken: Int32]
    ) -> Int32? {
        if let node = unclaimed[held.token] ?? orphans[held.token], id(of: nodes[node]) == held.operation {
            unclaimed[held.token] = nil
            orphans[held.token] = nil
            return node
        }
        // A dispatch of the last moments before a crash may be missing in the record; the worker tells of it.
        guard isReconciling, held.token.epoch < epoch, let whole = node(for: held.operation),
            nodes[whole].state == .ready, held.attempt == nodes[whole].attempt + 1
        else { return nil }
        return isolate(held.operation, in: whole)
    }

    mutating func workerHeard(_ session: SessionID) {
        _ = hear(session)
    }

    /// Notes a sign of life.
    ///
    /// - Returns: the worker; nil where the session is not current, which the sender is told.
    mutating func hear(_ session: SessionID) -> Int32? {
        guard let place = sessions[session] else {
            if let successor = supersededSessions[session] {
                let by = workers[successor].introduction
                emit(.superseded(session, name: by.name, host: by.host, processID: by.processID))
            } else {
                emit(.unknownSession(session))
            }
            return nil
        }
        workers[place].lastHeard = now
        if workers[place].condition == .suspect {
            changeWorker(place) { $0.condition = .alive }
            emit(.worker(workers[place].introduction.name, .alive))
        }
        return place
    }

    mutating func workerLeft(_ session: SessionID) {
        guard let place = sessions[session] else { return }
        let worker = workers[place]
        changeWorker(place) { $0.condition = .left }
        for (_, node) in worker.attempts.sorted(by: { $0.key < $1.key }) {
            advance(node, on: .attemptLost, Circumstances(reason: Reason(.lost, "Its worker went away.")))
        }
        sessions[session] = nil
        if let superseded = worker.supersededSession { supersededSessions[superseded] = nil }
        workerPlaces[worker.introduction.name] = nil
        workers.remove(at: place)
        emit(.worker(worker.introduction.name, .left))
    }

    mutating func timePassed() {
        while let timer = timers.min, timer.deadline <= now {
            timers.removeMin()
            switch timer.purpose {
            case .operation(let reference):
                guard let node = nodes.resolve(reference), let time = nodes[node].notBefore, time <= now else {
                    continue
                }
                nodes[node].notBefore = nil
                nodes[node].waiting -= 1
                if nodes[node].waiting == 0 { advance(node, on: .conditionsMet) }
            case .worker(let reference):
                if let place = workers.resolve(reference) { judge(place) }
            case .reconcileWindow:
                isReconciling = false
                for (_, node) in orphans.sorted(by: { $0.key < $1.key }) { lose(node, with: "of before the restart") }
            }
        }
    }

    private mutating func watch(_ worker: Int32, until time: Timestamp) {
        timers.insert(Timer(deadline: time, purpose: .worker(workers.reference(to: worker))))
    }

    /// Decides what a worker's silence means (two stages; any traffic ends it).
    private mutating func judge(_ place: Int32) {
        let worker = workers[place]
        let suspectAt = worker.lastHeard + configuration.suspectAfter
        let lostAt = worker.lastHeard + configuration.lostAfter
        if now < suspectAt {
            watch(place, until: suspectAt)
        } else if now < lostAt {
            changeWorker(place) { $0.condition = .suspect }
            emit(.worker(worker.introduction.name, .suspect))
            watch(place, until: lostAt)
        } else {
            changeWorker(place) { $0.condition = .lost }
            sessions[worker.introduction.session] = nil
            emit(.worker(worker.introduction.name, .lost))
            for (_, node) in worker.attempts.sorted(by: { $0.key < $1.key }) {
                lose(node, with: worker.introduction.name)
            }
        }
    }

    /// Changes a worker and keeps its place among those with free slots right.
    mutating func changeWorker(_ place: Int32, _ change: (inout WorkerState) -> Void) {
        let before = workers[place]
        if before.position >= 0 {
            if let moved = freeWorkers.remove(place, freeSlots: before.freeSlots, position: before.position) {
                workers[moved].position = before.position
            }
            workers[place].position = -1
        }
        change(&workers[place])
        let after = workers[place]
        if after.condition == .alive && after.freeSlots > 0 {
            workers[place].position = freeWorkers.insert(place, freeSlots: after.freeSlots)
        }
    }
}
