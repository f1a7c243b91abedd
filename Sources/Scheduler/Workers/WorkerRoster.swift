@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The index of a worker.
typealias WorkerIndex = SlabIndex<WorkerState>

/// The workers that have joined, their names and sessions, and their rankings for the choice of a worker.
///
/// The roster owns who has a name and a session. A worker is changed through ``change(_:_:)``, which keeps the rankings in step;
/// only the worker's times, on which no ranking depends, are open to all.
struct WorkerRoster: Sendable {
    /// The maximum number of slots of a worker; a larger number is reduced to the maximum.
    static let maximumSlots = 4096

    private var workers = Slab<WorkerState>()
    private var sessions: [SessionID: WorkerIndex] = [:]
    private var supersededSessions: [SessionID: SupersededSession] = [:]
    private var indexesByName: [String: WorkerIndex] = [:]
    /// The number of workers with each identity, and their key.
    private var identities: [WorkerID: (count: Int, keyNumber: UInt32?)] = [:]
    /// The approximate number of bytes that the workers' introductions take in memory.
    private(set) var introductionBytes = 0
    /// What the workers of each key take.
    private(set) var shares = WorkerShares()
    /// The names of workers that had a session before a restart and have not returned.
    var absentWorkers = AbsentWorkers()
    /// The workers with free slots, by the number of free slots.
    private var freeWorkers = Ranking<WorkerIndex>()
    /// The workers that may be sent attempts ahead, by the number of attempts.
    private var prefetchTargets = Ranking<WorkerIndex>()
    /// The workers that may be sent attempts ahead that are too long for near workers, by the room for attempts ahead.
    private var distantTargets = Ranking<WorkerIndex>()
    /// The longest mean duration of attempts that any worker so far could be sent ahead, in microseconds.
    ///
    /// A bound that spares the search for a worker; a bound that is too high costs a search.
    private(set) var longestAhead = SendAhead.horizon
    /// The workers with attempts that could be recalled for another worker, by the number of attempts.
    private var loadedWorkers = Ranking<WorkerIndex>()
    /// The workers at which attempts not known to be short may overtake attempts sent ahead, by the number of slots.
    private var yieldingWorkers = Ranking<WorkerIndex>()
    /// The workers that may be sent short attempts beyond their limit of attempts ahead, by the number of attempts.
    private var overtakableWorkers = Ranking<WorkerIndex>()
    /// The workers that run Swift operations, by their types.
    private(set) var types = TypeIndex()

    /// A worker, which ``change(_:_:)`` changes.
    subscript(index: WorkerIndex) -> WorkerState {
        @inline(__always) get { workers[index] }
    }

    /// The times of a worker, on which no ranking depends.
    subscript(timesOf index: WorkerIndex) -> WorkerTimes {
        @inline(__always) get { workers[index].times }
        @inline(__always) _modify { yield &workers[index].times }
    }

    /// The indexes of all workers, including lost workers.
    var indexes: some Sequence<WorkerIndex> { workers.indexes }

    /// The indexes of the workers that run attempts, including lost workers: all but keepers.
    var runners: some Sequence<WorkerIndex> { workers.indexes.lazy.filter { !workers[$0].introduction.isKeeper } }

    /// The number of workers, including lost workers.
    var count: Int { workers.count }

    /// A reference to a worker, which no longer resolves once the worker is removed.
    func reference(to index: WorkerIndex) -> SlabReference<WorkerState> { workers.reference(to: index) }

    /// The index of a referenced worker; nil if the worker was removed.
    func resolve(_ reference: SlabReference<WorkerState>) -> WorkerIndex? { workers.resolve(reference) }

    /// The worker with a name, even if lost.
    func index(ofName name: String) -> WorkerIndex? { indexesByName[name] }

    /// The worker with a current session.
    func index(ofSession session: SessionID) -> WorkerIndex? { sessions[session] }

    /// The session that was superseded by another session of its worker's place, if any.
    func supersededSession(_ session: SessionID) -> SupersededSession? { supersededSessions[session] }

    /// The number of the key of the workers with an identity; nil without such a worker, without keys, and for no identity.
    func key(ofIdentity id: WorkerID) -> UInt32? { identities[id]?.keyNumber }

    private mutating func noteIdentity(of introduction: WorkerIntroduction) {
        guard introduction.id != .unknown else { return }
        let known = identities[introduction.id]
        identities[introduction.id] = ((known?.count ?? 0) + 1, introduction.keyNumber ?? known?.keyNumber)
    }

    private mutating func forgetIdentity(of introduction: WorkerIntroduction) {
        guard let known = identities[introduction.id] else { return }
        identities[introduction.id] = known.count > 1 ? (known.count - 1, known.keyNumber) : nil
    }

    /// Changes a worker and updates the rankings.
    mutating func change(_ index: WorkerIndex, _ change: (inout WorkerState) -> Void) {
        guard let standing = workers[index].change(change) else { return }
        freeWorkers.set(index, to: standing.freeSlots)
        types.setFreeSlots(of: index, to: standing.freeSlots)
        prefetchTargets.set(index, to: standing.room)
        if longestAhead > SendAhead.horizon {
            distantTargets.set(index, to: standing.isForLongAttempts ? standing.room : 0)
        }
        loadedWorkers.set(index, to: standing.load)
        yieldingWorkers.set(index, to: standing.yieldingSlots)
        overtakableWorkers.set(index, to: standing.yieldingRoom)
    }

    /// Notes how far away a worker is.
    mutating func setDistance(of index: WorkerIndex, to distance: Distance) {
        workers[index].times.distance = distance
        longestAhead = max(longestAhead, distance.longestAttempt)
    }

    // MARK: - The choice of a worker
    //
    // In line, because each dispatch asks: a call would copy the roster.

    /// The worker with the most free slots.
    @inline(__always) var freeWorker: WorkerIndex? { freeWorkers.best }

    /// The worker with the most room for attempts ahead.
    @inline(__always) var prefetchTarget: WorkerIndex? { prefetchTargets.best }

    /// The worker with the most room for attempts ahead that are too long for near workers.
    @inline(__always) var distantTarget: WorkerIndex? { distantTargets.best }

    /// The worker with the most attempts that could be recalled for another worker.
    @inline(__always) var loadedWorker: WorkerIndex? { loadedWorkers.best }

    /// The worker with the most slots at which attempts not known to be short may overtake attempts sent ahead.
    @inline(__always) var yieldingWorker: WorkerIndex? { yieldingWorkers.best }

    /// The worker with the most room for short attempts beyond its limit of attempts ahead.
    @inline(__always) var overtakableWorker: WorkerIndex? { overtakableWorkers.best }

    /// Whether any worker could be sent an attempt.
    @inline(__always) var isAnyWorkerOpen: Bool {
        freeWorkers.best != nil || prefetchTargets.best != nil || overtakableWorkers.best != nil
            || yieldingWorkers.best != nil
    }

    /// Whether workers with free slots run a type that no such worker ran at the last call.
    mutating func takeNewFreeType() -> Bool {
        defer { types.hasNewFreeType = false }
        return types.hasNewFreeType
    }

    // MARK: - Joining and leaving

    /// The lost workers that have to go before a worker gets its place, and the shortage that is left then; nil for
    /// none.
    ///
    /// - Complexity: O(types); O(workers) if the room has to come from lost workers.
    func room(for introduction: WorkerIntroduction) -> (lost: [WorkerIndex], shortage: WorkerShortage?) {
        let place = indexesByName[introduction.name]
        let present = place.map { workers[$0].introduction }
        guard var shortage = shares.shortage(for: introduction, replacing: present) else { return ([], nil) }
        var left = shares
        var lost: [WorkerIndex] = []
        for index in workers.indexes where workers[index].condition == .lost && index != place {
            let other = workers[index].introduction
            guard left.mayDisplace(other, for: introduction, lacking: shortage) else { continue }
            left.remove(other)
            lost.append(index)
            guard let next = left.shortage(for: introduction, replacing: present) else { return (lost, nil) }
            shortage = next
        }
        return (lost, shortage)
    }

    /// Adds what a worker tells of itself to the sums.
    private mutating func addToSums(_ introduction: WorkerIntroduction) {
        introductionBytes += introduction.bytesInMemory
        shares.add(introduction)
    }

    /// Takes what a worker has told of itself out of the sums.
    private mutating func takeFromSums(_ introduction: WorkerIntroduction) {
        introductionBytes -= introduction.bytesInMemory
        shares.remove(introduction)
        invariant(introductionBytes >= 0, "The introductions of all workers take less than no memory.")
    }

    /// Adds a worker under a name that no worker has.
    ///
    /// - Parameter hasSession: false for a worker that has not come back since a restart.
    mutating func insert(_ worker: WorkerState, hasSession: Bool) -> WorkerIndex {
        let introduction = worker.introduction
        invariant(indexesByName[introduction.name] == nil, "Two workers have the same name.")
        addToSums(introduction)
        noteIdentity(of: introduction)
        let index = workers.insert(worker)
        types.seat(index, types: introduction.types)
        indexesByName[introduction.name] = index
        if hasSession {
            invariant(sessions[introduction.session] == nil, "Two workers have the same session.")
            sessions[introduction.session] = index
        }
        return index
    }

    /// Replaces a worker's introduction and session by those of its next session; the earlier session is superseded.
    ///
    /// The caller resets the rest of the worker through ``change(_:_:)``, which updates the rankings.
    mutating func beginSession(of index: WorkerIndex, _ introduction: WorkerIntroduction) {
        let old = workers[index].introduction
        if old.session != introduction.session {
            // Another worker may have begun the session of a lost one.
            if sessions[old.session] == index { sessions[old.session] = nil }
            if let superseded = workers[index].supersededSession { supersededSessions[superseded] = nil }
            supersededSessions[old.session] = SupersededSession(worker: index, id: old.id, life: old.life)
            workers[index].supersededSession = old.session
        }
        let other = sessions.updateValue(index, forKey: introduction.session)
        invariant(other == nil || other == index, "A worker begins the session of another one.")
        types.seat(index, types: introduction.types)
        forgetIdentity(of: old)
        noteIdentity(of: introduction)
        takeFromSums(old)
        addToSums(introduction)
        workers[index].introduction = introduction
    }

    /// Adds types to those that a worker runs.
    mutating func addTypes(_ added: [String], to index: WorkerIndex) {
        takeFromSums(workers[index].introduction)
        change(index) { $0.introduction.types += added }
        addToSums(workers[index].introduction)
        types.seat(index, types: workers[index].introduction.types)
        types.setFreeSlots(of: index, to: workers[index].freeSlots)
    }

    /// Ends a worker's session; messages in the session are answered as unknown from now on.
    mutating func endSession(of index: WorkerIndex) {
        guard !workers[index].isAbsent else { return }
        let ended = sessions.removeValue(forKey: workers[index].introduction.session)
        invariant(ended == index, "A session ends that its worker does not have.")
    }

    /// Removes a worker that holds no attempts any more and has no session.
    ///
    /// - Returns: the worker's last state.
    mutating func remove(_ index: WorkerIndex) -> WorkerState {
        let worker = workers[index]
        invariant(worker.attempts.isEmpty, "A worker is removed that has attempts.")
        invariant(worker.hooks.isEmpty, "A worker is removed that has completion hooks.")
        invariant(worker.reservationCount == 0, "A worker is removed that is reserved.")
        invariant(sessions[worker.introduction.session] != index, "A worker is removed that has a session.")
        if let superseded = worker.supersededSession { supersededSessions[superseded] = nil }
        let named = indexesByName.removeValue(forKey: worker.introduction.name)
        invariant(named == index, "A removed worker is not found by its name.")
        takeFromSums(worker.introduction)
        forgetIdentity(of: worker.introduction)
        types.remove(index)
        workers.remove(at: index)
        return worker
    }

    // MARK: - Checks

    /// The violated invariants of names, sessions and rankings; empty unless the scheduler has a bug.
    func violations() -> [String] {
        var found: [String] = []
        var offered = 0
        var told = 0
        for index in workers.indexes {
            let worker = workers[index]
            let name = worker.introduction.name
            told += worker.introduction.bytesInMemory
            if indexesByName[name] != index { found.append("worker \(name) is not found by its name") }
            let isKnown = sessions[worker.introduction.session] == index
            if isKnown != (worker.condition != .lost && !worker.isAbsent) {
                found.append("worker \(name) is \(worker.condition), session wrong")
            }
            if let superseded = worker.supersededSession, supersededSessions[superseded]?.worker != index {
                found.append("worker \(name) forgot the session that it superseded")
            }
            if freeWorkers.number(of: index) != worker.freeSlots || prefetchTargets.number(of: index) != worker.room
                || loadedWorkers.number(of: index) != worker.load
                || yieldingWorkers.number(of: index) != worker.yieldingSlots
                || overtakableWorkers.number(of: index) != worker.yieldingRoom
                || distantTargets.number(of: index) != (worker.roomAhead.isForLongAttempts ? worker.room : 0)
            {
                found.append("worker \(name) has a wrong rank")
            }
            let runsTypes = !worker.introduction.types.isEmpty
            if types.freeSlots(of: index) != (runsTypes ? worker.freeSlots : nil) {
                found.append("worker \(name) has a wrong rank for its types")
            }
            guard worker.freeSlots > 0 else { continue }
            offered += 1
            for type in worker.introduction.types where types.freeTypes[type] == nil {
                found.append("worker \(name) is not offered for \(type)")
            }
        }
        if types.workerCount != workers.indexes.filter({ !workers[$0].introduction.types.isEmpty }).count {
            found.append("workers that have gone are known for their types")
        }
        if offered != freeWorkers.count || (freeWorkers.best != nil) != (offered > 0) {
            found.append("\(freeWorkers.count) workers are offered, \(offered) should be")
        }
        let identified = workers.indexes.count { workers[$0].introduction.id != .unknown }
        if identities.values.reduce(0, { $0 + $1.count }) != identified {
            found.append("identities are without a worker")
        }
        if !shares.isSum(of: workers.indexes.map { workers[$0].introduction }) {
            found.append("the workers of a key take something else than their sum")
        }
        if told != introductionBytes { found.append("the introductions take \(told) bytes, not \(introductionBytes)") }
        let withoutSession = workers.indexes.count { workers[$0].condition == .lost || workers[$0].isAbsent }
        if sessions.count + withoutSession != workers.count || indexesByName.count != workers.count {
            found.append("there are sessions or names without a worker")
        }
        return found
    }
}
