@_spi(Baton) import BatonOperations

/// A part of the cluster whose changes a program wants to hear of.
enum FollowedMember: Hashable, Sendable {
    case operation(OperationID)
    case job(JobNumber)
    case queue(String)
}

/// The lanes of a follower, and the objects that stay in memory.
struct FollowerState {
    /// A watch with its members.
    struct Lane {
        let number: Int
        var members: Set<FollowedMember>
        /// The number of the last event looked at.
        var cursor: UInt64
        /// The present request, once it is known.
        var request: UInt64?
    }

    /// The most lanes.
    private static let mostLanes = 8
    /// The most operations of a job that are followed one by one.
    private static let mostAlone = 16

    /// The objects that somebody waits for.
    var kept: [ObjectIdentifier: DistributedOperation] = [:]
    /// The closures to call after changes of a member.
    var listeners: [FollowedMember: [@Sendable () -> Bool]] = [:]
    /// The number of followed operations of each job.
    private var followed: [JobNumber: Int] = [:]
    private(set) var lanes: [Int: Lane] = [:]
    private var lastLane = 0
    /// The members that wait for the next lane.
    private var joining: Set<FollowedMember> = []
    private var isStarting = false

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

    /// Adds a member, unless a lane has it.
    ///
    /// - Returns: whether a lane has to be started.
    mutating func join(_ member: FollowedMember) -> Bool {
        guard !isFollowed(member) else { return false }
        joining.insert(member)
        return mustStartAgain()
    }

    /// Whether a lane has a member.
    func isFollowed(_ member: FollowedMember) -> Bool { lanes.values.contains { $0.members.contains(member) } }

    /// Whether members wait, and no lane is being started for them; if so, one is from now on.
    mutating func mustStartAgain() -> Bool {
        guard !joining.isEmpty, !isStarting else { return false }
        isStarting = true
        return true
    }

    /// Opens a lane for the waiting members.
    mutating func openLane(after cursor: UInt64) -> Lane {
        lastLane += 1
        let lane = Lane(number: lastLane, members: joining, cursor: cursor)
        lanes[lane.number] = lane
        joining = []
        isStarting = false
        return lane
    }

    /// Gives the waiting members up.
    mutating func abandonStart() -> Set<FollowedMember> {
        isStarting = false
        defer { joining = [] }
        return joining
    }

    /// Notes a request, unless its reply has come already.
    mutating func noteRequest(_ request: UInt64, of number: Int, after cursor: UInt64) {
        guard lanes[number]?.cursor == cursor else { return }
        lanes[number]?.request = request
    }

    /// Notes the last event looked at; returns the members.
    mutating func advance(_ number: Int, to cursor: UInt64) -> Set<FollowedMember> {
        lanes[number]?.cursor = cursor
        lanes[number]?.request = nil
        return lanes[number]?.members ?? []
    }

    /// Removes members from a lane; a lane without members ends.
    mutating func remove(_ members: Set<FollowedMember>, from number: Int) {
        lanes[number]?.members.subtract(members)
        if lanes[number]?.members.isEmpty == true { lanes[number] = nil }
    }

    /// Removes a lane; returns its members.
    mutating func removeLane(_ number: Int) -> Set<FollowedMember> { lanes.removeValue(forKey: number)?.members ?? [] }

    /// Makes one lane of the two smallest that wait, if there are too many lanes.
    ///
    /// - Returns: the new lane, and the requests of the two to forget.
    mutating func mergeLanes() -> (number: Int, requests: [UInt64])? {
        guard lanes.count > Self.mostLanes else { return nil }
        let waiting = lanes.values.filter { $0.request != nil }.sorted { $0.members.count < $1.members.count }.prefix(2)
        guard waiting.count == 2 else { return nil }
        lastLane += 1
        var merged = Lane(number: lastLane, members: [], cursor: .max)
        for lane in waiting {
            merged.members.formUnion(lane.members)
            merged.cursor = min(merged.cursor, lane.cursor)
            lanes[lane.number] = nil
        }
        lanes[merged.number] = merged
        return (merged.number, waiting.compactMap(\.request))
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
