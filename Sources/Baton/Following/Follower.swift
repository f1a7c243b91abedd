@_spi(Baton) import BatonClient
import Dispatch
@_spi(Baton) import BatonOperations
import Synchronization
@_spi(Baton) import BatonWire

/// Hears of changes of this program's own operations, from the moment at which somebody wants to know (L7).
///
/// The coordinator selects the events. A connection has one open watch: with new members, a new watch takes its place, and the
/// coordinator ends the earlier one at once.
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
            return (member, state.members.contains(member))
        }
        follow(member)
        // The watch may have told of an event while the answer of the lookup was on its way.
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
        let (isNew, mustStart) = state.withLock { state in
            let isNew = state.insert(member)
            return (isNew, state.mustStart())
        }
        if mustStart { return start() }
        guard isNew, state.withLock({ $0.cursor != nil }) else { return }
        watch()
        // What happened before the watch is in the document.
        details.read([member])
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

    // MARK: - The watch

    /// Asks for the number of the newest event, and watches what comes after it.
    private func start() {
        channel.send(.watch(since: nil, limit: 1, atMost: .zero), timeout: nil) { result in
            switch result {
            case .success(.events(let page)):
                let members = self.state.withLock { $0.started(after: page.last) }
                self.watch()
                // What happened before the watch is in the documents.
                self.details.read(members)
            case .success(.refused(let refusal)): self.lose(ClusterError(refusal), inWatch: false)
            case .success: self.lose(.wrongReply, inWatch: false)
            case .failure(let error): self.lose(ClusterError(error), inWatch: false)
            }
        }
    }

    /// Waits for the next events, if a watch has to be sent now.
    private func watch() {
        guard let next = state.withLock({ $0.nextWatch() }) else { return }
        let request = Request.watch(
            since: next.since,
            limit: 1000,
            atMost: Self.patience,
            of: EventSelection(next.members)
        )
        channel.send(request, timeout: nil) { self.receive($0, after: next.since) }
    }

    private func receive(_ result: Result<Reply, ClientError>, after cursor: UInt64) {
        switch result {
        case .success(.events(let page)):
            do throws(ClusterError) {
                let finishedJobs = try apply(page, since: cursor)
                let members = state.withLock { state in
                    state.answered(upTo: page.last)
                    return state.members
                }
                if page.missed > 0 { details.read(members) }
                prune(finishedJobs, isQuiet: page.last == cursor)
                watch()
                // Members that came while the last watch ended begin anew.
                if state.withLock({ $0.mustStart() }) { start() }
            } catch {
                lose(error, inWatch: true)
            }
        case .success(.refused(let refusal)): lose(ClusterError(refusal), inWatch: true)
        case .success: lose(.wrongReply, inWatch: true)
        case .failure(let error): lose(ClusterError(error), inWatch: true)
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

    /// Removes what has ended.
    ///
    /// - Parameters:
    ///   - finishedJobs: the jobs that have just ended.
    ///   - isQuiet: whether nothing has happened for a while, which leaves time to look at each object of a job: a job may have
    ///     ended before the watch began.
    private func prune(_ finishedJobs: Set<JobNumber>, isQuiet: Bool) {
        let members = state.withLock(\.members)
        let over = members.filter { member in
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
        state.withLock { $0.remove(over) }
    }

    /// Ends the waits for members that cannot be followed; those with completion blocks are followed again later.
    private func lose(_ error: ClusterError, inWatch isWatch: Bool) {
        let members = state.withLock { $0.abandon(aWatch: isWatch) }
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
