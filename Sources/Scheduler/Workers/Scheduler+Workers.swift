@_spi(Baton) import BatonOperations

/// Workers that join, fall silent and leave.
@_spi(Baton) extension Scheduler {
    /// The shortage that keeps a worker from joining; nil if it has room.
    ///
    /// Lost workers make room.
    ///
    /// - Complexity: O(types); O(workers) if the room has to come from lost workers.
    public func shortage(for introduction: WorkerIntroduction) -> WorkerShortage? {
        workers.room(for: introduction).shortage
    }

    /// The number of workers with a key, including lost workers.
    public func workerCount(withKey key: UInt32) -> Int { workers.shares.workerCount(withKey: key) }

    /// The approximate number of bytes that the workers' introductions take in memory.
    public var introductionBytes: Int { workers.introductionBytes }

    /// The objection to a worker's hello; nil if the worker is welcome.
    ///
    /// A name and an identity belong to the key that they came with (``objectionToKey(of:)``). With the same key, or without keys, a
    /// worker with another identity does not get a name in use, unless the worker was told to take the place. A name is in
    /// use while its worker is present, or has time to return after a restart of the coordinator. A hello from an earlier
    /// life of the same worker was either delayed on its way, and its process is gone, or comes from a copy of the worker's
    /// directory. If the later life is lost, the hello is accepted. The order of the two lives may be wrong, because the
    /// count of a worker's starts goes back with its disk; the worker is then kept out no longer than until the loss.
    private func objection(to introduction: WorkerIntroduction) -> Effect? {
        let name = introduction.name
        if let objection = objectionToKey(of: introduction) { return objection }
        if !introduction.replaces, let owner = workers.absentWorkers.owner(of: name, at: now),
            owner.id != introduction.id
        {
            return .nameTaken(introduction.session, name: name, by: nil)
        }
        guard let place = workers.index(ofName: name), workers[place].condition != .lost else { return nil }
        let present = workers[place].introduction
        if introduction.id != present.id {
            let isFree = introduction.replaces || workers[place].isAbsent
            return isFree ? nil : .nameTaken(introduction.session, name: name, by: present)
        }
        guard introduction.life.isEarlier(than: present.life) else { return nil }
        return .superseded(introduction.session, by: present, isCopy: true)
    }

    /// Whether the process has begun another session since the hello, because the hello was delayed in an earlier connection.
    private func isOutdated(_ introduction: WorkerIntroduction) -> Bool {
        guard let place = workers.index(ofName: introduction.name) else { return false }
        let present = workers[place].introduction
        return introduction.life == present.life && introduction.sessionNumber < present.sessionNumber
    }

    mutating func workerJoined(_ introduction: WorkerIntroduction) {
        guard !isOutdated(introduction) else { return emit(.unknownSession(introduction.session)) }
        if let objection = objection(to: introduction) { return emit(objection) }
        if let other = workers.index(ofSession: introduction.session),
            workers[other].introduction.name != introduction.name
        {
            emit(.unknownSession(introduction.session))
            return
        }
        distinguishVersions(for: introduction)
        if introduction.timeLeft != nil { distinguishTimes() }
        var newcomer = introduction
        newcomer.types += versionTypes(of: introduction)
        newcomer.offer = introduction.offer.limited
        newcomer.slots = introduction.isKeeper ? 0 : min(max(introduction.slots, 1), WorkerRoster.maximumSlots)
        newcomer.attempts = []
        newcomer.earlierStarts = nil
        let (place, earlier) = seat(newcomer)
        expectFileReport(from: place)
        reconciliation.noteAnnounced(introduction.attempts, in: introduction.session)
        var unclaimed = earlier.attempts
        var unclaimedHooks = earlier.hooks
        var stale: [AttemptToken] = []
        var foreign: [AttemptToken] = []
        var toEnd: [AttemptToken] = []
        for claimed in introduction.attempts {
            if workers[place].attempts[claimed.token] != nil || workers[place].hooks[claimed.token] != nil {
                continue
            } else if tokens.isForeign(claimed.token) {
                foreign.append(claimed.token)
            } else if claimed.isHook {
                if reclaimHook(claimed, of: place, from: &unclaimedHooks) {
                    let isCancelled = hooks.places[claimed.operation].map { hooks.entries[$0].hook.isCancelled }
                    if isCancelled ?? false { toEnd.append(claimed.token) }
                } else if isStale(claimed) {
                    stale.append(claimed.token)
                }
            } else if let node = reclaim(claimed, from: &unclaimed) {
                bind(node, to: place)
                claimResources(of: node)
                requests.reassign(claimed.token, to: introduction.name)
                if claimed.phase != .waiting {
                    advance(node, on: .started, TransitionContext(startedAt: now.before(microseconds: claimed.age)))
                }
                let isToEnd = graph[node].cancellation != .notRequested
                if isToEnd { toEnd.append(claimed.token) }
                if isToEnd || graph[node].isRecalled {
                    requests.addMessage(to: place, recalling: claimed.token)
                } else if reconciliation.isOpen || workers[place].isDrained || workers[place].isLeaving {
                    // An operation that comes first, or a suspension of the queue, may have come since: the order is decided
                    // anew (PR9, SU1). A drained worker starts nothing.
                    recall(node)
                }
            } else if !adopt(claimed, of: place), isStale(claimed) {
                stale.append(claimed.token)
            }
        }
        if !graph.pauses.isEmpty, !introduction.knowsPauses { endPauses(at: place) }
        let started = noteEarlierStarts(of: introduction, missing: unclaimed, &foreign)
        // The recalls go with the welcome, not after it: a welcomed worker starts attempts in its free slots.
        let recalled = requests.takeMessage(to: place)
        emit(.welcome(introduction.session, stale: stale, foreign: foreign, recalled: recalled))
        emit(.commit(.worker(introduction.name, WorkerRecord(introduction))))
        emit(.confirm(.session(introduction.session)))
        noteReturn(of: introduction, tellsStarts: started != nil)
        workers.absentWorkers.free(introduction.name)
        if !toEnd.isEmpty { emit(.endAttempts(introduction.session, toEnd)) }
        if let stop = workers[place].stop { emit(.stop(introduction.session, isImmediate: stop == .now)) }
        reportCondition(of: place)
        let areStartsKnown =
            earlier.isSameProcess || started != nil && earlier.worker.map(introduction.tellsStarts) ?? false
        for (token, node) in unclaimed.sorted(by: { $0.key < $1.key }) {
            let hasStarted = started?.contains(token) ?? false
            // An attempt that is not among the known starts never arrived, or was waiting in the earlier process.
            if graph[node].stage == .sent, areStartsKnown, !hasStarted {
                advance(node, on: .returned)
            } else if earlier.isEvicted {
                let cause = "Another worker has taken the place of its worker \(introduction.name)"
                evict(node, from: place, because: cause)
            } else {
                lose(node, with: introduction.name, hasStarted: hasStarted)
            }
        }
        for (_, hook) in unclaimedHooks.sorted(by: { $0.key < $1.key }) { requeueHook(hook) }
        hooks.isBlocked = false
    }

    /// Allows dispatches to a worker, because its session is on disk.
    mutating func sessionCommitted(_ session: SessionID) {
        guard let place = workers.index(ofSession: session) else { return }
        // A keeper is never open for attempts and completion hooks.
        if !workers[place].introduction.isKeeper { workers.change(place) { $0.isCommitted = true } }
        hooks.isBlocked = false
        considerForCopies(place)
    }

    /// Reports the condition of a worker.
    mutating func report(_ condition: WorkerCondition, of name: String) {
        emit(.worker(name, condition))
        note(.worker(name, condition))
    }

    /// The attempts and hooks of a worker's earlier session.
    private struct EarlierSession {
        var attempts: [AttemptToken: NodeIndex] = [:]
        var hooks: [AttemptToken: HookIndex] = [:]
        /// The worker that had the session; nil for a newcomer.
        var worker: WorkerRecord?
        /// Whether the same process has come back.
        var isSameProcess = false
        /// Whether another worker has taken the place.
        var isEvicted = false
    }

    /// Gives a worker its place: the place of the worker with the same name, or a new place; lost workers make room.
    ///
    /// - Returns: the place, and the attempts and hooks of the worker's earlier session.
    private mutating func seat(_ introduction: WorkerIntroduction) -> (place: WorkerIndex, earlier: EarlierSession) {
        // A worker that comes back and tells more than before needs room, too.
        for lost in workers.room(for: introduction).lost { removeLost(lost) }
        guard let place = workers.index(ofName: introduction.name) else {
            return (seatNewcomer(introduction), EarlierSession())
        }
        let old = workers[place]
        for node in old.attempts.values { graph[node].worker = nil }
        ledger.releaseAll(at: place)
        if old.isAbsent {
            // The worker gets a new index, so that earlier timers do not apply. Its attempts go over to the new session.
            workers.change(place) { $0.attempts = [:] }
            forget(place)
            // Without an identity, a worker is told by its name.
            let isEvicted = old.introduction.id != .unknown && old.introduction.id != introduction.id
            let earlier = EarlierSession(
                attempts: old.attempts,
                worker: WorkerRecord(old.introduction),
                isSameProcess: !isEvicted && old.introduction.life == introduction.life,
                isEvicted: isEvicted
            )
            return (seatNewcomer(introduction), earlier)
        }
        for hook in old.hooks.values { hooks.entries[hook].worker = nil }
        workers.beginSession(of: place, introduction)
        let isSameProcess = old.introduction.life == introduction.life
        // A fault of the host may persist, but a new process is tried like any other.
        if !isSameProcess { forgetFault(of: place) }
        let moment = now
        let isDrained = drains[introduction.id] != nil
        workers.change(place) { worker in
            worker.isCommitted = false
            // Another process knows nothing of the request.
            if !isSameProcess {
                worker.stop = nil
                worker.fetchPause = nil
            }
            worker.isLeaving = worker.stop != nil
            worker.isDrained = isDrained
            worker.endsAt = introduction.timeLeft.map { moment + $0 }
            worker.becomePresent(true)
            worker.times.lastHeard = moment
            worker.attempts = [:]
            worker.sent = SentAttempts()
            worker.prefetchedCount = 0
            worker.longCount = 0
            worker.recalledCount = 0
            worker.hooks = [:]
            worker.failing?.trial = nil
        }
        // What it goes on to fetch counts anew.
        files.fetchTimes.forget(place)
        workers.setDistance(of: place, to: .unknown)
        judgeSpeed(of: place)
        if old.times.forgottenAt != nil {
            workers[timesOf: place].forgottenAt = nil
            noteStaleTimers()
        }
        if old.condition == .suspect || old.condition == .lost {
            watch(place, until: now + configuration.suspectAfter)
        }
        let isEvicted = old.introduction.id != introduction.id
        // Another directory has other files; the same one has what it had, until its report tells better.
        if isEvicted {
            loseFiles(of: place)
            files.doubts.removeAll(at: place)
        }
        if isEvicted, old.condition != .lost {
            emit(.superseded(old.introduction.session, by: introduction, isCopy: false))
        }
        return (
            place,
            EarlierSession(
                attempts: old.attempts,
                hooks: old.hooks,
                worker: WorkerRecord(old.introduction),
                isSameProcess: isSameProcess && !isEvicted,
                isEvicted: isEvicted
            )
        )
    }

    /// Adds a worker under a name that no worker has.
    private mutating func seatNewcomer(_ introduction: WorkerIntroduction) -> WorkerIndex {
        let place = workers.insert(WorkerState(introduction: introduction, joinedAt: now), hasSession: true)
        judgeSpeed(of: place)
        let (moment, isDrained) = (now, drains[introduction.id] != nil)
        workers.change(place) { worker in
            worker.isDrained = isDrained
            worker.endsAt = introduction.timeLeft.map { moment + $0 }
            worker.becomePresent(true)
        }
        watch(place, until: now + configuration.suspectAfter)
        return place
    }

    mutating func workerHeard(_ session: SessionID) {
        _ = noteSignOfLife(session)
    }

    /// Notes how far away a worker is, by the round trip that the worker has told, in microseconds.
    mutating func workerDistance(_ session: SessionID, roundTrip: Int64) {
        guard let place = noteSignOfLife(session) else { return }
        workers.setDistance(of: place, to: Distance(roundTrip: roundTrip))
        judgeSpeed(of: place)
    }

    /// Notes a sign of life.
    ///
    /// - Returns: the worker; nil if the session is not current (see `answerStaleMessage(in:)`).
    mutating func noteSignOfLife(_ session: SessionID) -> WorkerIndex? {
        guard let place = workers.index(ofSession: session) else {
            answerStaleMessage(in: session)
            return nil
        }
        noteSignOfLife(of: place, at: now)
        return place
    }

    /// Notes that a worker was alive at a time.
    mutating func noteSignOfLife(of place: WorkerIndex, at time: Timestamp) {
        workers[timesOf: place].lastHeard = time
        guard workers[place].condition == .suspect else { return }
        workers.change(place) { $0.becomePresent(true) }
        hooks.isBlocked = false
        watch(place, until: time + configuration.suspectAfter)
        reportCondition(of: place)
        considerForCopies(place)
    }

    /// Answers a message in a session that is not current.
    private mutating func answerStaleMessage(in session: SessionID) {
        guard let earlier = workers.supersededSession(session) else { return emit(.unknownSession(session)) }
        let present = workers[earlier.worker].introduction
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
        if let place = noteSignOfLife(session) { beginLeaving(place) }
    }

    mutating func workerLeft(_ session: SessionID) {
        guard let place = workers.index(ofSession: session) else { return }
        remove(place, as: .left) { scheduler, node, _ in scheduler.retract(node) }
    }

    /// Removes a worker that may no longer work; its operations run again on other workers, and no loss is counted.
    ///
    /// After a restart of the coordinator, the worker may have attempts that the record lacks: the reconcile window stays open
    /// for them, as it does for any worker that does not come back.
    mutating func workerExpelled(_ name: String, because cause: String) {
        workers.absentWorkers.free(name)
        forgetAwaitedFiles(of: name)
        guard let place = workers.index(ofName: name) else { return }
        // A lost worker has nothing left but its name, which is free now.
        guard workers[place].condition != .lost else { return removeLost(place) }
        remove(place, as: .lost) { scheduler, node, place in scheduler.evict(node, from: place, because: cause) }
    }

    /// Removes a worker, and takes each attempt back from it.
    private mutating func remove(
        _ place: WorkerIndex,
        as condition: WorkerCondition,
        takingBack takeBack: (inout Scheduler, NodeIndex, WorkerIndex) -> Void
    ) {
        let worker = workers[place]
        workers.change(place) { $0.condition = .left }
        for (_, node) in worker.attempts.sorted(by: { $0.key < $1.key }) { takeBack(&self, node, place) }
        for (_, hook) in worker.hooks.sorted(by: { $0.key < $1.key }) { requeueHook(hook) }
        loseFiles(of: place)
        _ = requests.takeMessage(to: place)
        workers.endSession(of: place)
        // Without an alive worker, drained workers take the completion hooks.
        hooks.isBlocked = false
        emit(.commit(.worker(worker.introduction.name, nil)))
        forget(place)
        report(condition, of: worker.introduction.name)
    }

    /// Removes a worker that holds no attempts any more.
    mutating func forget(_ place: WorkerIndex) {
        ledger.releaseAll(at: place)
        if workers[place].reservationCount > 0 { dropReservations(of: place) }
        let worker = workers.remove(place)
        files.doubts.removeAll(at: place)
        let times = worker.times
        let timers = [
            times.judgedAt != nil, times.forgottenAt != nil, times.isActivityWatched, times.triedAt != nil,
        ]
        noteStaleTimers(timers.count { $0 })
    }
}
