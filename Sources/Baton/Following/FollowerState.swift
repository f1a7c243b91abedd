@_spi(Baton) import BatonOperations

/// A part of the cluster whose changes a program wants to hear of.
enum FollowedMember: Hashable, Sendable {
    case operation(OperationID)
    case job(JobNumber)
    case queue(String)
}

/// What a follower watches, and the objects that stay in memory.
struct FollowerState {
    /// The number of operations of a job up to which each is followed alone.
    private static let mostAlone = 16

    /// The objects that somebody waits for.
    var kept: [ObjectIdentifier: DistributedOperation] = [:]
    /// The closures to call after changes of a member.
    var listeners: [FollowedMember: [@Sendable () -> Bool]] = [:]
    private(set) var members: Set<FollowedMember> = []
    /// The number of the last event looked at; nil before the first watch.
    private(set) var cursor: UInt64?
    /// The number of followed operations of each job.
    private var followed: [JobNumber: Int] = [:]
    /// Whether the number of the newest event is being asked for.
    private var isStarting = false
    /// The watches without an answer: one, and two while the coordinator ends the earlier one because of the later.
    private var watches = 0
    /// Whether members have come since the last watch was sent.
    private var hasNewMembers = false

    /// The member by which an operation is followed: the operation alone, or the whole job if many of its operations are followed.
    mutating func member(for id: OperationID) -> FollowedMember {
        followed[id.job, default: 0] += 1
        return followed[id.job, default: 0] > Self.mostAlone ? .job(id.job) : .operation(id)
    }

    /// Notes that an operation is not followed any more.
    mutating func forget(_ id: OperationID) {
        guard let count = followed[id.job] else { return }
        followed[id.job] = count > 1 ? count - 1 : nil
    }

    /// Adds a member.
    ///
    /// - Returns: whether the member is new.
    mutating func insert(_ member: FollowedMember) -> Bool {
        guard members.insert(member).inserted else { return false }
        hasNewMembers = true
        return true
    }

    /// Whether to ask for the number of the newest event, which comes before the first watch.
    mutating func mustStart() -> Bool {
        guard cursor == nil, !isStarting, !members.isEmpty else { return false }
        isStarting = true
        return true
    }

    /// Notes the number of the newest event; returns the members, whose past is in their documents.
    mutating func started(after newest: UInt64) -> Set<FollowedMember> {
        isStarting = false
        cursor = newest
        return members
    }

    /// The beginning of the next watch and its members, if one has to be sent now; the coordinator then ends the one before.
    mutating func nextWatch() -> (since: UInt64, members: Set<FollowedMember>)? {
        guard let cursor, !members.isEmpty, watches == 0 || watches == 1 && hasNewMembers else { return nil }
        watches += 1
        hasNewMembers = false
        return (cursor, members)
    }

    /// Notes the answer to a watch.
    mutating func answered(upTo number: UInt64) {
        watches -= 1
        cursor = max(cursor ?? 0, number)
        // Nothing is known any more of what comes after, once nobody watches.
        if members.isEmpty, watches == 0 { cursor = nil }
    }

    /// Removes members.
    mutating func remove(_ ended: Set<FollowedMember>) {
        members.subtract(ended)
        if members.isEmpty, watches == 0 { cursor = nil }
    }

    /// Gives all members up after a failure; returns them.
    mutating func abandon(aWatch isWatch: Bool) -> Set<FollowedMember> {
        if isWatch { watches -= 1 } else { isStarting = false }
        cursor = nil
        defer { members = [] }
        return members
    }
}

extension EventSelection {
    /// Selects the events of members; nil, for all events, if they are more than a selection may have.
    init?(_ members: Set<FollowedMember>) {
        guard members.count <= EventSelection.maximumCount else { return nil }
        self.init()
        for member in members {
            switch member {
            case .operation(let id): operations.append(id)
            case .job(let job): jobs.append(job)
            case .queue(let name): queues.append(name)
            }
        }
    }
}
