import BatonOperations

/// Workers that join, fall silent and leave.
extension Scheduler {
    /// The maximum number of slots of a worker; a larger number is reduced to the maximum.
    static let maximumSlots = 4096

    /// The maximum number of workers, including lost workers until a new worker takes their room.
    static let maximumWorkers = 16_384

    /// Whether a worker with a name can join: the name is known, or another worker has room.
    public func hasRoom(forWorker name: String) -> Bool {
        workerPlaces[name] != nil || workers.count < Self.maximumWorkers || lostWorker != nil
    }

    /// The maximum number of bytes of all workers' introductions together.
    public static let maximumIntroductionBytes = 64 << 20

    /// Whether a worker's introduction fits in the place of its previous introduction; lost workers make room.
    ///
    /// - Complexity: O(types); O(workers) if the room has to come from lost workers.
    public func hasRoom(for introduction: WorkerIntroduction) -> Bool {
        let told = workerPlaces[introduction.name].map { workers[$0].introduction.heldBytes } ?? 0
        let needed = introductionBytes - told + introduction.heldBytes
        guard needed > Self.maximumIntroductionBytes else { return true }
        let lost = workers.places.filter { workers[$0].condition == .lost && $0 != workerPlaces[introduction.name] }
            .reduce(0) { $0 + workers[$1].introduction.heldBytes }
        return needed - lost <= Self.maximumIntroductionBytes
    }

    /// A lost worker, which may be removed to make room.
    private var lostWorker: Int32? { workers.places.first { workers[$0].condition == .lost } }

    /// The objection to a worker's hello; nil if the worker is welcome.
    ///
    /// A worker with another identity does not get a name in use, unless the worker was told to take the place. A name is in
    /// use while its worker is present, or has time to return after a restart of the coordinator. A hello from an earlier
    /// life of the same worker was either held up on its way, and its process is gone, or comes from a copy of the worker's
    /// directory. If the later life is lost, the hello is accepted. The order of the two lives may be wrong, because the
    /// count of a worker's starts goes back with its disk; the worker is then kept out no longer than until the loss.
    private func objection(to introduction: WorkerIntroduction) -> Effect? {
        let name = introduction.name
        if !introduction.replaces, absentWorkers.hold(name, against: introduction.id, at: now) {
            return .nameTaken(introduction.session, name: name, by: nil)
        }
        guard let place = workerPlaces[name], workers[place].condition != .lost else { return nil }
        let present = workers[place].introduction
        if introduction.id != present.id {
            let isFree = introduction.replaces || workers[place].isAbsent
            return isFree ? nil : .nameTaken(introduction.session, name: name, by: present)
        }
        guard introduction.life.isEarlier(than: present.life) else { return nil }
        return .superseded(introduction.session, by: present, isCopy: true)
    }

    /// Whether the process has begun another session since the hello, because the hello was held up in an earlier connection.
    private func isOutdated(_ introduction: WorkerIntroduction) -> Bool {
        guard let place = workerPlaces[introduction.name] else { return false }
        let present = workers[place].introduction
        return introduction.life == present.life && introduction.sessionNumber < present.sessionNumber
    }

    mutating func workerJoined(_ introduction: WorkerIntroduction) {
        guard !isOutdated(introduction) else { return emit(.unknownSession(introduction.session)) }
        if let objection = objection(to: introduction) { return emit(objection) }
        if let other = sessions[introduction.session], workers[other].introduction.name != introduction.name {
            emit(.unknownSession(introduction.session))
            return
        }
        distinguishVersions(for: introduction)
        var newcomer = introduction
        newcomer.types += versionTypes(of: introduction)
        newcomer.slots = min(max(introduction.slots, 1), Self.maximumSlots)
        newcomer.attempts = []
        let (place, earlier) = seat(newcomer)
        var unclaimed = earlier.attempts
        var unclaimedHooks = earlier.hooks
        var stale: [AttemptToken] = []
        var foreign: [AttemptToken] = []
        var toEnd: [AttemptToken] = []
        for held in introduction.attempts {
            if workers[place].attempts[held.token] != nil || workers[place].hooks[held.token] != nil {
                continue
            } else if isForeign(held.token) {
                foreign.append(held.token)
            } else if held.isHook {
                if !takeBackHook(held, of: place, from: &unclaimedHooks), !held.isFinished { stale.append(held.token) }
            } else if let node = takeBack(held, from: &unclaimed) {
                bind(node, to: place)
                reassign(held.token, to: introduction.name)
                if held.phase != .waiting {
                    advance(node, on: .started, TransitionContext(startedAt: now.before(microseconds: held.age)))
                }
                if nodes[node].isCancelled { toEnd.append(held.token) }
                if nodes[node].isCancelled || nodes[node].isRecalled {
                    recallMessages[place, default: []].append(held.token)
                } else if reconciliation.isOpen {
                    // An operation that comes first, or a suspension of the queue, may have come since: the order is decided
                    // anew (PR9, SU1).
                    recall(node)
                }
            } else if !adopt(held, of: place), !held.isFinished {
                // An ended attempt may be counted and not on disk yet. If the attempt were called stale, the worker would
                // drop the end at once. Instead the worker sends the end, and the acknowledgement waits for the commit.
                stale.append(held.token)
            }
        }
        // The recalls go with the welcome, not after it: a welcomed worker starts attempts in its free slots.
        let recalled = recallMessages.removeValue(forKey: place) ?? []
        emit(.welcome(introduction.session, stale: stale, foreign: foreign, recalled: recalled))
        emit(.keep(.worker(introduction.name, WorkerRecord(id: introduction.id, life: introduction.life))))
        emit(.confirm(.session(introduction.session)))
        noteReturn(of: introduction)
        absentWorkers.giveUp(introduction.name)
        if !toEnd.isEmpty { emit(.endAttempts(introduction.session, toEnd)) }
        tellStanding(of: place)
        for (_, node) in unclaimed.sorted(by: { $0.key < $1.key }) {
            // The same process knows its started attempts; an attempt that the process does not name never arrived.
            if nodes[node].stage == .sent, earlier.isSameProcess {
                advance(node, on: .returned)
            } else if earlier.isEvicted {
                evict(node, from: introduction.name)
            } else {
                lose(node, with: introduction.name)
            }
        }
        for (_, hook) in unclaimedHooks.sorted(by: { $0.key < $1.key }) { retakeHook(hook) }
        hooks.isBlocked = false
    }

    /// Allows dispatches to a worker, because its session is on disk.
    mutating func sessionKept(_ session: SessionID) {
        guard let place = sessions[session] else { return }
        changeWorker(place) { $0.isKept = true }
        hooks.isBlocked = false
    }

    /// Reports the condition of a worker.
    mutating func tell(_ condition: WorkerCondition, of name: String) {
        emit(.worker(name, condition))
        note(.worker(name, condition))
    }

    /// The attempts and hooks of a worker's earlier session.
    private struct EarlierSession {
        var attempts: [AttemptToken: Int32] = [:]
        var hooks: [AttemptToken: Int32] = [:]
        /// Whether the same process has come back.
        var isSameProcess = false
        /// Whether another worker has taken the place.
        var isEvicted = false
    }

    /// Gives a worker its place: the place of the worker with the same name, or a new place.
    ///
    /// - Returns: the place, and the attempts and hooks of the worker's earlier session.
    private mutating func seat(_ introduction: WorkerIntroduction) -> (place: Int32, earlier: EarlierSession) {
        if let place = workerPlaces[introduction.name], workers[place].isAbsent {
            // The worker gets a new place, so that earlier timers do not apply.
            let (attempts, before) = (workers[place].attempts, workers[place].introduction)
            for node in attempts.values { nodes[node].worker = -1 }
            forget(place)
            // Records of older versions lack the identity of the worker.
            let isEvicted = before.id != .unknown && before.id != introduction.id
            let earlier = EarlierSession(
                attempts: attempts,
                isSameProcess: !isEvicted && before.life == introduction.life,
                isEvicted: isEvicted
            )
            return (seat(introduction).place, earlier)
        }
        guard let place = workerPlaces[introduction.name] else {
            if workers.count >= Self.maximumWorkers, let lostWorker { forget(lostWorker) }
            introductionBytes += introduction.heldBytes
            while introductionBytes > Self.maximumIntroductionBytes, let lostWorker { forget(lostWorker) }
            let place = workers.insert(WorkerState(introduction: introduction, lastHeard: now, lastActive: now))
            types.seat(place, types: introduction.types)
            workerPlaces[introduction.name] = place
            sessions[introduction.session] = place
            judgeSpeed(of: place)
            changeWorker(place) { _ in }
            watch(place, until: now + configuration.suspectAfter)
            return (place, EarlierSession())
        }
        let old = workers[place]
        var superseded = old.supersededSession
        if old.introduction.session != introduction.session {
            sessions[old.introduction.session] = nil
            if let superseded { supersededSessions[superseded] = nil }
            supersededSessions[old.introduction.session] = SupersededSession(
                place: place,
                id: old.introduction.id,
                life: old.introduction.life
            )
            superseded = old.introduction.session
        }
        sessions[introduction.session] = place
        for node in old.attempts.values { nodes[node].worker = -1 }
        for hook in old.hooks.values { hooks.entries[hook].worker = -1 }
        types.seat(place, types: introduction.types)
        introductionBytes += introduction.heldBytes - old.introduction.heldBytes
        let isSameProcess = old.introduction.life == introduction.life
        // A fault of the host may persist, but a new process is tried like any other.
        if !isSameProcess { forgetFault(of: place) }
        let moment = now
        changeWorker(place) { worker in
            worker.introduction = introduction
            worker.supersededSession = superseded
            worker.condition = .alive
            worker.isKept = false
            worker.isLeaving = false
            worker.lastHeard = moment
            worker.attempts = [:]
            worker.sent = SentAttempts()
            worker.aheadCount = 0
            worker.longCount = 0
            worker.recalledCount = 0
            worker.hooks = [:]
            worker.failing?.trial = nil
        }
        judgeSpeed(of: place)
        if old.condition == .suspect || old.condition == .lost {
            watch(place, until: now + configuration.suspectAfter)
        }
        let isEvicted = old.introduction.id != introduction.id
        if isEvicted, old.condition != .lost {
            emit(.superseded(old.introduction.session, by: introduction, isCopy: false))
        }
        return (
            place,
            EarlierSession(
                attempts: old.attempts,
                hooks: old.hooks,
                isSameProcess: isSameProcess && !isEvicted,
                isEvicted: isEvicted
            )
        )
    }

    mutating func workerHeard(_ session: SessionID) {
        _ = hear(session)
    }

    /// Notes a sign of life.
    ///
    /// - Returns: the worker; nil if the session is not current (see `answerLateWord(in:)`).
    mutating func hear(_ session: SessionID) -> Int32? {
        guard let place = sessions[session] else {
            answerLateWord(in: session)
            return nil
        }
        workers[place].lastHeard = now
        if workers[place].condition == .suspect {
            let condition: WorkerCondition = workers[place].isLeaving ? .draining : .alive
            changeWorker(place) { $0.condition = condition }
            hooks.isBlocked = false
            watch(place, until: now + configuration.suspectAfter)
            tellStanding(of: place)
        }
        return place
    }

    /// Answers a message in a session that is not current.
    private mutating func answerLateWord(in session: SessionID) {
        guard let earlier = supersededSessions[session] else { return emit(.unknownSession(session)) }
        let present = workers[earlier.place].introduction
        // The same process has begun another session, and its message in the earlier session was on its way until now.
        guard earlier.life != present.life || earlier.id != present.id else { return }
        // The place went to a delayed hello while the sender counted as lost.
        if earlier.id == present.id, present.life.isEarlier(than: earlier.life) {
            return emit(.unknownSession(session))
        }
        emit(.superseded(session, by: present, isCopy: earlier.id == present.id))
    }

    /// Stops dispatches to a leaving worker: the worker could only return new attempts.
    mutating func workerLeaving(_ session: SessionID) {
        guard let place = hear(session), !workers[place].isLeaving else { return }
        changeWorker(place) { worker in
            worker.isLeaving = true
            worker.condition = .draining
        }
        tellStanding(of: place)
    }

    mutating func workerLeft(_ session: SessionID) {
        guard let place = sessions[session] else { return }
        let worker = workers[place]
        changeWorker(place) { $0.condition = .left }
        for (_, node) in worker.attempts.sorted(by: { $0.key < $1.key }) { giveBack(node) }
        for (_, hook) in worker.hooks.sorted(by: { $0.key < $1.key }) { retakeHook(hook) }
        recallMessages[place] = nil
        sessions[session] = nil
        emit(.keep(.worker(worker.introduction.name, nil)))
        forget(place)
        tell(.left, of: worker.introduction.name)
    }

    /// Removes a worker that holds no attempts any more.
    mutating func forget(_ place: Int32) {
        let worker = workers[place]
        if let superseded = worker.supersededSession { supersededSessions[superseded] = nil }
        workerPlaces[worker.introduction.name] = nil
        introductionBytes -= worker.introduction.heldBytes
        types.remove(place)
        workers.remove(at: place)
        if worker.judgedAt != nil { noteStaleTimer() }
        if worker.isActivityWatched { noteStaleTimer() }
        if worker.triedAt != nil { noteStaleTimer() }
    }

    mutating func watch(_ place: Int32, until time: Timestamp) {
        guard workers[place].judgedAt != time else { return }
        let isReplaced = workers[place].judgedAt != nil
        workers[place].judgedAt = time
        timers.insert(Timer(deadline: time, purpose: .worker(workers.reference(to: place))))
        if isReplaced { noteStaleTimer() }
    }

    /// Judges the silence of a worker in two stages, suspect and lost; any traffic ends the silence.
    mutating func judgeLiveness(of place: Int32) {
        workers[place].judgedAt = nil
        let worker = workers[place]
        let suspectAt = worker.lastHeard + configuration.suspectAfter
        let lostAt = worker.lastHeard + configuration.lostAfter
        if now < suspectAt {
            watch(place, until: suspectAt)
        } else if now < lostAt {
            changeWorker(place) { $0.condition = .suspect }
            forgetAhead(of: place)
            tell(.suspect, of: worker.introduction.name)
            watch(place, until: lostAt)
        } else {
            changeWorker(place) { $0.condition = .lost }
            if !worker.isAbsent { sessions[worker.introduction.session] = nil }
            emit(.keep(.worker(worker.introduction.name, nil)))
            tell(.lost, of: worker.introduction.name)
            for (_, node) in worker.attempts.sorted(by: { $0.key < $1.key }) {
                lose(node, with: worker.introduction.name)
            }
            for (_, hook) in worker.hooks.sorted(by: { $0.key < $1.key }) { retakeHook(hook) }
            recallMessages[place] = nil
        }
    }

    /// Stops making nodes wait for attempts that a silent worker was sent ahead: the worker may never answer.
    private mutating func forgetAhead(of place: Int32) {
        for token in workers[place].sent.suffix(.max) {
            guard let node = workers[place].attempts[token], nodes[node].isAhead else { continue }
            nodes[node].isAhead = false
            queues[Int(nodes[node].queue)].aheadCounts[nodes[node].priority.step] -= 1
        }
        changeWorker(place) { $0.aheadCount = 0 }
    }

    /// Changes a worker and updates the indexes of workers.
    mutating func changeWorker(_ place: Int32, _ change: (inout WorkerState) -> Void) {
        guard let standing = workers[place].change(change) else { return }
        freeWorkers.set(place, to: standing.freeSlots)
        types.setFreeSlots(of: place, to: standing.freeSlots)
        prefetchTargets.set(place, to: standing.room)
        loadedWorkers.set(place, to: standing.load)
        yieldingWorkers.set(place, to: standing.yieldingSlots)
        overtakableWorkers.set(place, to: standing.yieldingRoom)
    }
}
