@_spi(Baton) import BatonClient
import Dispatch
@_spi(Baton) import BatonOperations
import Synchronization
@_spi(Baton) import BatonWire

/// Hears of changes of this program's own operations, from the moment at which somebody wants to know (L7).
///
/// The coordinator selects the events. Each watch is a *lane* with its own members, because a watch that waits at the coordinator
/// cannot get another member. New members make a new lane; of too many lanes, the two smallest become one.
final class Follower: Sendable {
    private let channel: any RequestChannel
    private let registry: OperationRegistry
    private let details: DetailReader
    private let state = Mutex(FollowerState())

    /// How long a watch waits for its first event.
    private static let patience = Duration.seconds(60)
    /// The time until operations with completion blocks are followed again after the loss of the coordinator.
    private static let pause = DispatchTimeInterval.seconds(5)
    private static let retries = DispatchQueue(label: "Baton followers")

    init(on channel: any RequestChannel, registry: OperationRegistry) {
        self.channel = channel
        self.registry = registry
        details = DetailReader(on: channel, registry: registry)
    }

    // MARK: - Members

    /// Hears of an operation's changes until its end.
    func follow(_ operation: DistributedOperation, _ id: OperationID) {
        let (member, isFollowed) = state.withLock { state in
            let member = state.member(for: id)
            return (member, state.isFollowed(member))
        }
        follow(member)
        // The lane may have passed an event while the answer of the lookup was on its way.
        if isFollowed, operation.status.withLock(\.wasLookedUp) { details.read(id) }
    }

    /// Hears of the changes of a job or queue, and calls a closure after some changes.
    ///
    /// - Parameter isOver: called after changes; returns whether the closure wants no more calls.
    func follow(_ member: FollowedMember, until isOver: @escaping @Sendable () -> Bool) {
        state.withLock { $0.listeners[member, default: []].append(isOver) }
        follow(member)
    }

    private func follow(_ member: FollowedMember) {
        let mustStart = state.withLock { $0.join(member) }
        if mustStart { start() }
    }

    /// Keeps an object in memory until its end (L9).
    func keep(_ operation: DistributedOperation) {
        state.withLock { $0.kept[ObjectIdentifier(operation)] = operation }
        // The end may have come in between.
        if operation.status.withLock(\.isFinished) { finished(operation) }
    }

    /// Lets an object go that nobody waits for any more.
    func letGo(_ operation: DistributedOperation) {
        _ = state.withLock { $0.kept.removeValue(forKey: ObjectIdentifier(operation)) }
    }

    /// Lets an object go that has ended.
    func finished(_ operation: DistributedOperation) {
        let id = operation.status.withLock { $0.isFollowed ? $0.place.id : nil }
        _ = state.withLock { state -> DistributedOperation? in
            if let id { state.forget(id) }
            return state.kept.removeValue(forKey: ObjectIdentifier(operation))
        }
    }

    // MARK: - Lanes

    /// Asks for the number of the newest event, and opens a lane for the new members after it.
    private func start() {
        channel.send(.watch(since: nil, limit: 1, atMost: .zero), timeout: nil) { result in
            switch result {
            case .success(.events(let page)):
                let lane = self.state.withLock { $0.openLane(after: page.last) }
                self.ask(lane.number)
                // What happened before the lane is in the documents.
                self.details.read(lane.members)
                self.mergeLanes()
                if self.state.withLock({ $0.mustStartAgain() }) { self.start() }
            case .success(.refused(let refusal)):
                self.lose(self.state.withLock { $0.abandonStart() }, ClusterError(refusal))
            case .success: self.lose(self.state.withLock { $0.abandonStart() }, .wrongReply)
            case .failure(let error): self.lose(self.state.withLock { $0.abandonStart() }, ClusterError(error))
            }
        }
    }

    /// Waits for the next events of a lane.
    private func ask(_ number: Int) {
        guard let lane = state.withLock({ $0.lanes[number] }) else { return }
        let request = Request.watch(
            since: lane.cursor,
            limit: 1000,
            atMost: Self.patience,
            of: EventSelection(lane.members)
        )
        let sent = channel.send(request, timeout: nil) { self.receive($0, in: number, after: lane.cursor) }
        state.withLock { $0.noteRequest(sent, of: number, after: lane.cursor) }
    }

    private func receive(_ result: Result<Reply, ClientError>, in number: Int, after cursor: UInt64) {
        switch result {
        case .success(.events(let page)):
            do throws(ClusterError) {
                let finishedJobs = try apply(page, since: cursor)
                let members = state.withLock { $0.advance(number, to: page.last) }
                if page.missed > 0 { details.read(members) }
                prune(number, finishedJobs, isQuiet: page.last == cursor)
                ask(number)
            } catch {
                lose(state.withLock { $0.removeLane(number) }, error)
            }
        case .success(.refused(let refusal)): lose(state.withLock { $0.removeLane(number) }, ClusterError(refusal))
        case .success: lose(state.withLock { $0.removeLane(number) }, .wrongReply)
        // The lane is part of another one now.
        case .failure(let error) where error.code == .cancelled: break
        case .failure(let error): lose(state.withLock { $0.removeLane(number) }, ClusterError(error))
        }
    }

    /// Passes events on to the objects.
    ///
    /// - Returns: the jobs whose ends are among the events.
    private func apply(_ page: EventPage, since cursor: UInt64) throws(ClusterError) -> Set<JobNumber> {
        var finishedJobs: Set<JobNumber> = []
        try EventReader.read(page, since: cursor, hasTimes: false) { event in
            if case .jobFinished(let number, _, _) = event.kind, let job = UInt32(exactly: number) {
                finishedJobs.insert(JobNumber(job))
            }
            guard case .operation(let first, let count, let change) = event.kind, let id = first.id else { return }
            for offset in 0..<UInt32(clamping: count) {
                let id = OperationID(job: id.job, index: id.index &+ offset)
                var isDetailWanted = false
                for object in registry.objects(of: id) { isDetailWanted = object.apply(change) || isDetailWanted }
                if isDetailWanted { details.read(id) }
            }
        }
        return finishedJobs
    }

    /// Removes what has ended from a lane.
    ///
    /// - Parameters:
    ///   - finishedJobs: the jobs that have just ended.
    ///   - isQuiet: whether nothing has happened for a while, which leaves time to look at each object of a job: a job may have
    ///     ended before the lane began.
    private func prune(_ number: Int, _ finishedJobs: Set<JobNumber>, isQuiet: Bool) {
        guard let lane = state.withLock({ $0.lanes[number] }) else { return }
        let over = lane.members.filter { member in
            let listeners = state.withLock { $0.listeners.removeValue(forKey: member) } ?? []
            let rest = listeners.filter { !$0() }
            if !rest.isEmpty {
                state.withLock { $0.listeners[member, default: []] += rest }
                return false
            }
            return switch member {
            case .job(let job) where !isQuiet: finishedJobs.contains(job) || registry.count(of: job) == 0
            case .operation, .job: registry.objects(of: member).allSatisfy { $0.status.withLock(\.isFinished) }
            case .queue: true
            }
        }
        state.withLock { $0.remove(over, from: number) }
    }

    /// Makes one lane of the two smallest, if there are too many.
    private func mergeLanes() {
        guard let merged = state.withLock({ $0.mergeLanes() }) else { return }
        for request in merged.requests { channel.forget(request) }
        ask(merged.number)
    }

    /// Ends the waits for members that cannot be followed; those with completion blocks are followed again later.
    private func lose(_ members: Set<FollowedMember>, _ error: ClusterError) {
        for member in members {
            for object in registry.objects(of: member) {
                object.status.withLock { $0.isFollowed = false }
                if let id = object.status.withLock(\.place.id) { state.withLock { $0.forget(id) } }
                object.endWaits(error)
            }
        }
        let isAnyAwaited = state.withLock { !$0.kept.isEmpty || !$0.listeners.isEmpty }
        guard isAnyAwaited, error.code != .closed else { return }
        Self.retries.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
            guard let self else { return }
            let (kept, listening) = state.withLock { (Array($0.kept.values), Array($0.listeners.keys)) }
            for operation in kept { operation.followIfWanted() }
            for member in listening { follow(member) }
        }
    }
}
