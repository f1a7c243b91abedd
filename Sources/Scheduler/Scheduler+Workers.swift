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
        var newcomer = introduction
        newcomer.slots = min(max(introduction.slots, 1), Self.maximumSlots)
        newcomer.attempts = []
        let (place, earlier) = seat(newcomer)
        var unclaimed = earlier
        var stale: [AttemptToken] = []
        var toEnd: [AttemptToken] = []
        for held in introduction.attempts {
            if workers[place].attempts[held.token] != nil {
                continue
            } else if let node = takeBack(held, from: &unclaimed) {
                bind(node, to: place)
                if nodes[node].isCancelled { toEnd.append(held.token) }
            } else if !adopt(held, of: place) {
                stale.append(held.token)
            }
        }
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
        var superseded = old.supersededSession
        if old.introduction.session != introduction.session {
            sessions[old.introduction.session] = nil
            if let superseded { supersededSessions[superseded] = nil }
            supersededSessions[old.introduction.session] = place
            superseded = old.introduction.session
        }
        sessions[introduction.session] = place
        for node in old.attempts.values { nodes[node].worker = -1 }
        let moment = now
        changeWorker(place) { worker in
            worker.introduction = introduction
            worker.supersededSession = superseded
            worker.condition = .alive
            worker.isLeaving = false
            worker.lastHeard = moment
            worker.attempts = [:]
        }
        if old.condition != .alive { watch(place, until: now + configuration.suspectAfter) }
        return (place, old.attempts)
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
            watch(place, until: now + configuration.suspectAfter)
            emit(.worker(workers[place].introduction.name, .alive))
        }
        return place
    }

    mutating func workerLeft(_ session: SessionID) {
        guard let place = sessions[session] else { return }
        let worker = workers[place]
        changeWorker(place) { $0.condition = .left }
        for (_, node) in worker.attempts.sorted(by: { $0.key < $1.key }) { giveBack(node) }
        sessions[session] = nil
        if let superseded = worker.supersededSession { supersededSessions[superseded] = nil }
        workerPlaces[worker.introduction.name] = nil
        workers.remove(at: place)
        if worker.judgedAt != nil { noteStaleTimer() }
        emit(.worker(worker.introduction.name, .left))
    }

    private mutating func watch(_ place: Int32, until time: Timestamp) {
        let isReplaced = workers[place].judgedAt != nil
        workers[place].judgedAt = time
        timers.insert(Timer(deadline: time, purpose: .worker(workers.reference(to: place))))
        if isReplaced { noteStaleTimer() }
    }

    /// Decides what a worker's silence means (two stages; any traffic ends it).
    mutating func judge(_ place: Int32) {
        workers[place].judgedAt = nil
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
        let position = workers[place].position
        let freeSlots = workers[place].freeSlots
        change(&workers[place])
        let newFreeSlots = workers[place].freeSlots
        let isOffered = workers[place].isOffered
        guard isOffered != (position >= 0) || newFreeSlots != freeSlots else { return }
        workers[place].position = isOffered ? freeWorkers.insert(place, freeSlots: newFreeSlots) : -1
        if position >= 0, let moved = freeWorkers.remove(at: position, freeSlots: freeSlots) {
            workers[moved].position = position
        }
    }
}
