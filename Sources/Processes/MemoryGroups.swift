import CBatonSpawn
import Glibc

/// The control groups of this program for limits of memory, below a group of its own.
///
/// A group of version 1 needs no more than the right to make groups, which root has. With version 2, a group has either
/// processes or groups with controllers. Therefore the groups go beside the program's own group if the group above was
/// delegated to it, and else below its own group, from where the program moves to a group ``nameOfOwn``, if it is alone
/// there. See cgroups(7), and systemd's `Delegate=`.
@_spi(Baton) public final class MemoryGroups {
    /// The group that contains the groups of the limits.
    public let directory: String
    private let isUnified: Bool
    /// Groups that still had processes when they were to be removed.
    private var left: Set<String> = []
    /// The beginning of the names of groups: an earlier life may have left groups that daemons keep.
    private let prefix = String(UInt32.random(in: 0 ... .max), radix: 16)

    /// The name of the group to which a program moves that makes groups below its own one.
    private static let nameOfOwn = "baton-own"

    /// Makes the group, where the kernel lets this process limit memory, as tried with a group and a process.
    ///
    /// - Parameter name: the name of the group, unique on the host; an empty group of the name is used again.
    /// - Returns: nil if no place lets this process limit memory.
    public static func make(named name: String) -> MemoryGroups? {
        guard let own = ControlGroups().own(of: "memory"), members(of: own.directory).contains(getpid()) else {
            return nil
        }
        for parent in places(own)
        where allowLimits(below: parent, isUnified: own.isUnified, isOwn: parent == own.directory) {
            let groups = MemoryGroups(directory: "\(parent)/\(name)", isUnified: own.isUnified)
            guard groups.makeDirectory(), let trial = groups.make(number: 0, bytes: 1 << 30) else { continue }
            let isOpen = trial.isOpen
            groups.remove(trial)
            if isOpen { return groups }
        }
        return nil
    }

    /// Uses a group for the groups of limits.
    init(directory: String, isUnified: Bool) {
        self.directory = directory
        self.isUnified = isUnified
    }

    deinit { removeAll() }

    /// Gives this process's children the right place for groups of their own: moves this process out of the way, if it is alone
    /// in a group of version 2, before it starts any.
    public static func makeRoom() {
        guard let own = ControlGroups().own(of: "memory"), own.isUnified else { return }
        for parent in places(own) where allowLimits(below: parent, isUnified: true, isOwn: parent == own.directory) {
            return
        }
    }

    /// Removes the groups that an earlier life of this program has left, as far as they have no processes.
    ///
    /// - Parameter directory: the ``directory`` of the earlier life.
    public static func removeLeftovers(of directory: String) {
        for name in names(in: directory) { rmdir("\(directory)/\(name)") }
        rmdir(directory)
    }

    /// Makes a group for a limit; nil if the kernel no longer lets this process do so.
    func make(number: UInt64, bytes: Int64) -> MemoryGroup? {
        MemoryGroup("\(directory)/\(prefix)-\(number)", isUnified: isUnified, bytes: bytes)
    }

    /// Removes a group, now or when its last process is gone: a daemon may have left the process group, but not this one.
    func remove(_ group: MemoryGroup) {
        left.insert(group.directory)
        left = left.filter { rmdir($0) != 0 && errno != ENOENT }
    }

    /// Removes all groups that have no processes.
    public func removeAll() {
        Self.removeLeftovers(of: directory)
    }

    // MARK: - The trial

    /// Where groups may be made, best place first.
    private static func places(_ own: ControlGroups.Own) -> [String] {
        guard own.isUnified, let parent = own.parent else { return [own.directory] }
        let hasMoved = own.directory.hasSuffix("/" + nameOfOwn)
        return hasMoved || isDelegated(parent) ? [parent, own.directory] : [own.directory]
    }

    /// Whether systemd has delegated a group; it notes so as an extended attribute.
    private static func isDelegated(_ directory: String) -> Bool {
        ["trusted.delegate", "user.delegate"].contains { name in
            var byte = CChar(0)
            return getxattr(directory, name, &byte, 1) == 1 && byte == CChar(bitPattern: UInt8(ascii: "1"))
        }
    }

    /// Ensures that groups below a group can limit memory.
    ///
    /// - Parameter isOwn: whether this process is in the group.
    private static func allowLimits(below parent: String, isUnified: Bool, isOwn: Bool) -> Bool {
        guard isUnified, !enableMemory(below: parent) else { return access(parent, W_OK) == 0 }
        guard isOwn, errno == EBUSY, members(of: parent) == [getpid()] else { return false }
        let place = "\(parent)/\(nameOfOwn)"
        guard mkdir(place, 0o755) == 0 || errno == EEXIST,
            KernelFile.write("\(getpid())", to: place + "/cgroup.procs")
        else {
            rmdir(place)
            return false
        }
        if enableMemory(below: parent) { return true }
        _ = KernelFile.write("\(getpid())", to: parent + "/cgroup.procs")
        rmdir(place)
        return false
    }

    private static func enableMemory(below directory: String) -> Bool {
        KernelFile.write("+memory", to: directory + "/cgroup.subtree_control")
    }

    /// Makes the group, with the controller for the groups below it; returns whether it exists.
    private func makeDirectory() -> Bool {
        guard mkdir(directory, 0o755) == 0 || errno == EEXIST else { return false }
        left = Set(Self.names(in: directory).map { "\(directory)/\($0)" })
        return !isUnified || Self.enableMemory(below: directory)
    }

    private static func members(of directory: String) -> Set<pid_t> {
        Set(KernelFile.text(of: directory + "/cgroup.procs").split(separator: "\n").compactMap { pid_t($0) })
    }

    /// The names of the groups below a group.
    private static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            guard entry.pointee.d_type == DT_DIR else { continue }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
