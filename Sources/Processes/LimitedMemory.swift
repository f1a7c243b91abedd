import Glibc

/// The limits of memory of the launches that have not ended, and who keeps them: the kernel, by control groups, or a look at
/// intervals.
///
/// Without a limit, nothing is looked at.
struct LimitedMemory {
    /// A limit, with what it limits.
    private struct Limited {
        let bytes: Int64
        /// The control group that keeps the limit; nil for a look at intervals.
        let group: MemoryGroup?
        /// The number of launches with this limit that have not ended.
        var launches = 0
        /// The process groups with this limit.
        var processes: Set<pid_t> = []

        /// Whether the limit is kept, or the remaining processes ended, only with a look at intervals.
        var needsLooks: Bool { !(group?.endsTogether ?? false) }
    }

    /// The time between two looks at the memory.
    static let interval = Duration.milliseconds(250)
    /// The part of the time that looks may take: a look that lasts long delays the next one.
    private static let largestShare = 20

    private let groups: MemoryGroups?
    private var limits: [UInt64: Limited] = [:]
    /// The time of the next look; nil if there is nothing to look at.
    private(set) var lookAt: MonotonicTime?

    /// - Parameter groups: where to make control groups; nil without them.
    init(groups: MemoryGroups?) {
        self.groups = groups
    }

    /// Notes a launch with a limit, before its start.
    mutating func expect(_ limit: MemoryLimit) {
        var limited =
            limits[limit.number]
            ?? Limited(bytes: limit.bytes, group: groups?.make(number: limit.number, bytes: limit.bytes))
        limited.launches += 1
        limits[limit.number] = limited
    }

    /// The control group that a process with a limit has to enter, if any.
    func group(of limit: MemoryLimit?) -> MemoryGroup? { limit.flatMap { limits[$0.number]?.group } }

    /// Notes the process group of a launch with a limit.
    mutating func add(_ process: pid_t, to limit: MemoryLimit) {
        limits[limit.number]?.processes.insert(process)
        if lookAt == nil, limits[limit.number]?.needsLooks == true { lookAt = .now + Self.interval }
    }

    /// Forgets an ended launch with a limit.
    ///
    /// - Parameter process: the launch's process group; nil if there was none.
    mutating func remove(_ process: pid_t?, from limit: MemoryLimit) {
        guard var limited = limits[limit.number] else { return }
        limited.launches -= 1
        if let process { limited.processes.remove(process) }
        limits[limit.number] = limited.launches > 0 ? limited : nil
        if limited.launches == 0, let group = limited.group { groups?.remove(group) }
    }

    /// Looks at the memory, at the time of the look.
    ///
    /// - Returns: the process groups whose limits are exceeded.
    mutating func look() -> [pid_t] {
        let start = MonotonicTime.now
        lookAt = nil
        let looked = limits.values.filter { $0.needsLooks && !$0.processes.isEmpty }
        guard !looked.isEmpty else { return [] }
        var members: [pid_t: [pid_t]]?
        let exceeded = looked.filter { limited in
            if let group = limited.group { return group.counts.hasKilled() }
            let all = members ?? Self.members()
            members = all
            let processes = limited.processes.flatMap { all[$0] ?? [] }
            return processes.reduce(0) { $0 + ResidentMemory.whole(of: $1) } > limited.bytes
                && processes.reduce(0) { $0 + ResidentMemory.part(of: $1) } > limited.bytes
        }
        let end = MonotonicTime.now
        lookAt = end + max(Self.interval, .nanoseconds(end.nanoseconds - start.nanoseconds) * Self.largestShare)
        return exceeded.flatMap(\.processes)
    }

    /// The running processes of the machine, by their groups.
    private static func members() -> [pid_t: [pid_t]] {
        Dictionary(grouping: ProcessTable.livingProcesses() ?? [], by: \.group).mapValues { $0.map(\.process) }
    }
}
