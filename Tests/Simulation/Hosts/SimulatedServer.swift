@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonTestRecords
@_spi(Baton) import BatonTestValues

/// The database server of two coordinators, with the record of one disk: who holds the lock, the fence of each commit, and the ways to
/// it that fail.
///
/// The SQL of the record is the real one. The lock, the row of the leader and the sessions are a model: a session without a sign of
/// life for the lease is ended by the server's own clock, whatever its coordinator does.
final class SimulatedServer {
    /// The connection of one coordinator that leads, as long as its process lives or the server ends it.
    final class Session {
        /// The number of the coordinator's host.
        let host: Int
        /// The epoch of the coordinator.
        fileprivate(set) var epoch: UInt32 = 0
        /// When the server heard of it last.
        fileprivate var heardAt: Timestamp
        /// Whether the server has ended it; the coordinator may connect again.
        fileprivate var isEnded = false
        /// A commit without an answer: the number of its changes, and of the record's commits if it was carried out.
        fileprivate var unanswered: (changes: Int, number: UInt64)?
        /// How many of the first changes of the next commit are in the record already.
        fileprivate var known = 0

        fileprivate init(host: Int, at now: Timestamp) {
            self.host = host
            heardAt = now
        }
    }

    /// What happens to the next commit.
    enum Mishap: CaseIterable {
        /// The connection is lost before the commit arrives.
        case lostBefore
        /// The connection is lost before the answer arrives.
        case lostAfter
    }

    /// Why a commit of a coordinator fails that does not lead any more.
    static let deposed = StoreError.deposed("simulated", by: nil)
    /// Why a commit fails whose success is perhaps unknown.
    static let unreachable = StoreError.unreachable("simulated", "it does not answer")

    private unowned let world: World
    /// The disk with the record.
    private(set) var disk: SimulatedDisk
    /// The session that holds the lock; nil while nobody leads.
    private var holder: Session?
    /// The row of the leader: the last epoch, and the commits under the fence.
    private(set) var epoch: UInt32 = 0
    private var commits: UInt64 = 0
    /// Whether the server is down.
    private(set) var isAway = false
    /// The hosts whose statements do not arrive.
    private var cutUp: Set<Int> = []
    /// The hosts that answers do not reach, and since when.
    private var cutDown: [Int: Timestamp] = [:]
    /// How long statements and answers take at most.
    var slowest = SimulatedServer.usual
    /// What happens to the next commit; nil for nothing.
    var mishap: Mishap?

    /// How long statements and answers take at most on a good day.
    static let usual = Duration.milliseconds(20)
    /// How long the lock of a killed process is held on a host that lives.
    private static let release = Duration.milliseconds(2)

    init(_ world: World) {
        self.world = world
        disk = SimulatedDisk(eventHistory: world.settings.eventHistory)
    }

    private var lease: Duration { world.settings.lease }

    // MARK: - The way

    /// Whether statements of a host arrive.
    ///
    /// Where nothing comes back, the host's connection is lost after a while, and there is no other one.
    func hears(_ host: Int) -> Bool {
        guard !isAway, !cutUp.contains(host) else { return false }
        return cutDown[host].map { world.now < $0 + lease } ?? true
    }

    /// Whether answers reach a host.
    func reaches(_ host: Int) -> Bool { !isAway && cutDown[host] == nil }

    /// Cuts a host off, in one direction or both.
    func cut(_ host: Int, up: Bool, down: Bool) {
        if up { cutUp.insert(host) }
        if down, cutDown[host] == nil { cutDown[host] = world.now }
    }

    /// Joins a host again.
    func join(_ host: Int) {
        cutUp.remove(host)
        cutDown[host] = nil
    }

    /// How long a statement or an answer takes, without anything in its way.
    func time(using random: inout SplitMix) -> Duration { random.time(.microseconds(50), slowest) }

    // MARK: - The lock

    /// Gives the lock to a coordinator that asks for it; nil while another one holds it.
    func elect(_ host: Int) -> Session? {
        guard hears(host), reaches(host) else { return nil }
        endOverdue()
        guard holder == nil else { return nil }
        let session = Session(host: host, at: world.now)
        holder = session
        return session
    }

    /// Notes the epoch that the holder of the lock has raised in the record, in the transaction after the election.
    func lead(_ session: Session, as epoch: UInt32) {
        session.epoch = epoch
        self.epoch = epoch
    }

    /// Whether a session is that of the latest leader.
    func isLatest(_ session: Session) -> Bool { session.epoch == epoch }

    /// Takes in a sign of life of a session.
    ///
    /// An ended session takes the lock again if no other session has had the lock since.
    ///
    /// - Returns: false if another coordinator has taken over.
    func hear(_ session: Session) -> Bool {
        endOverdue()
        guard isLatest(session) else { return false }
        if session.isEnded {
            guard holder == nil else { return false }
            holder = session
            session.isEnded = false
        }
        session.heardAt = world.now
        return true
    }

    /// Answers the proof of a leader, a commit of nothing.
    ///
    /// - Returns: false if another coordinator has taken over.
    func prove(_ session: Session) -> Bool { hear(session) || world.faults.contains(.skipFence) }

    /// Ends the session of a process that has ended; without a word of its host only once the lease is over.
    func processEnded(_ session: Session, isNoticed: Bool) {
        guard isNoticed else { return }
        world.schedule(at: world.now + Self.release, actor: World.recorderActor) { [self] in end(session) }
    }

    /// Ends the session of the leader, as an administrator does: the lock is free at once.
    func endSession() {
        if let holder { end(holder) }
    }

    private func end(_ session: Session) {
        session.isEnded = true
        if holder === session { holder = nil }
    }

    /// Ends a session that has given no sign of life for the lease.
    private func endOverdue() {
        if let holder, holder.heardAt + lease <= world.now { end(holder) }
    }

    // MARK: - Commits

    /// Commits changes under the fence, once, whatever has become of the answers to earlier tries.
    func commit(_ changes: [RecordChange], to store: SQLStore, by session: Session) throws(StoreError) {
        let mishap = mishap
        self.mishap = nil
        try checkFence(of: session)
        if let unanswered = session.unanswered {
            session.unanswered = nil
            let isKnown = commits >= unanswered.number && !world.faults.contains(.repeatAmbiguousCommit)
            if isKnown { session.known = unanswered.changes }
        }
        if mishap == .lostBefore {
            session.unanswered = (changes.count, commits + 1)
            throw Self.unreachable
        }
        let rest = changes.dropFirst(session.known)
        if !rest.isEmpty {
            try store.commit(Array(rest))
            commits += 1
        }
        guard mishap == nil, reaches(session.host) else {
            session.unanswered = (changes.count, commits)
            throw Self.unreachable
        }
        session.known = 0
    }

    /// Checks that a session may write.
    func checkFence(of session: Session) throws(StoreError) {
        guard hears(session.host) else { throw Self.unreachable }
        guard !hear(session) else { return }
        guard world.faults.contains(.skipFence) else { throw Self.deposed }
        world.history.report(
            "a coordinator of epoch \(session.epoch) has committed after another one took over with epoch \(epoch)"
        )
    }

    // MARK: - The server's end

    /// Kills the server: all sessions end, and nobody is heard until the replica is promoted.
    func kill() {
        endSession()
        isAway = true
    }

    /// Promotes the replica, which has all that was acknowledged.
    func promote() { isAway = false }

    /// Promotes a replica that lacks the last commits, and raises the epoch above all that anybody has obeyed.
    ///
    /// - Parameter epoch: the epoch in the replica.
    func promote(_ replica: SimulatedDisk, of epoch: UInt32, using random: inout SplitMix) {
        endSession()
        replica.raiseEpoch(by: self.epoch - epoch, using: &random)
        disk = replica
        isAway = false
    }
}

/// The record of a leader, whose commits pass the fence of the server.
final class FencedStore: ForwardingStore {
    let base: SQLStore
    private let server: SimulatedServer
    private let session: SimulatedServer.Session

    init(_ base: SQLStore, at server: SimulatedServer, by session: SimulatedServer.Session) {
        self.base = base
        self.server = server
        self.session = session
    }

    func close() { base.close() }

    func commit(_ changes: [RecordChange]) throws(StoreError) { try server.commit(changes, to: base, by: session) }

    func store(_ parts: inout JobParts, of job: JobNumber, rows: Int) throws(StoreError) {
        try server.checkFence(of: session)
        try base.store(&parts, of: job, rows: rows)
    }

    func checkPlace() throws(StoreError) { try server.checkFence(of: session) }
}
