import CBatonSpawn
import Glibc
import Synchronization

/// A file that names running process groups, so that a later life of a killed program can end them.
///
/// The kernel kills the leaders with the program, but not the processes that the leaders have started.
///
/// Each running group has an entry, written before the group executes anything and erased when the group is gone. To
/// write an entry is to write 24 bytes into the kernel's cache: processes outlive a program that dies, but never a
/// machine that dies. If a write fails, the group runs all the same, without a name in the file.
@_spi(Baton) public final class GroupFile: Sendable {
    /// A process group, and the range of its leader's start time, in clock ticks since the machine's boot.
    struct Entry: Equatable {
        var group: pid_t
        var started: ClosedRange<Int64>
    }

    private struct Places {
        var free: [Int] = []
        var count = 0
    }

    private static let entrySize = 3 * MemoryLayout<Int64>.size

    private let path: String
    private let descriptor: Int32
    private let places = Mutex(Places())

    /// Opens the file, or creates a missing file.
    ///
    /// - Throws: `SystemFailure` if the file cannot be opened, or is a link or no ordinary file.
    public init(path: String) throws(SystemFailure) {
        self.path = path
        descriptor = OwnFile.open(path, O_RDWR | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw SystemFailure(ofOwnFile: path) }
    }

    deinit { close(descriptor) }

    // MARK: - What is running

    /// Reserves the place of a group's entry before its start; ``erase(_:)`` releases the place.
    func reserve() -> Int {
        places.withLock { places -> Int in
            if let free = places.free.popLast() { return free }
            places.count += 1
            return places.count - 1
        }
    }

    /// Makes a launch write its group's entry at a place.
    func prepare(_ request: inout cspawn_request, at place: Int) {
        request.note_descriptor = descriptor
        request.note_offset = off_t(place * Self.entrySize)
        request.note_since = now
        request.note_ticks = ticks
    }

    /// Creates a removed or replaced file again, with its entries; on failure, the file stays missing.
    ///
    /// Call it on the thread that starts the groups: no entry may be written meanwhile.
    func restore() {
        guard !OwnFile.isInPlace(descriptor, at: path) else { return }
        let copy = OwnFile.create(path, O_RDWR, 0o600)
        guard copy >= 0 else { return }
        defer { close(copy) }
        var bytes = [UInt8](repeating: 0, count: places.withLock { $0.count } * Self.entrySize)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        if count > 0 { pwrite(copy, bytes, count, 0) }
        if dup2(copy, descriptor) >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }

    /// Erases the entry of a group that is gone.
    func erase(_ place: Int) {
        let words: [Int64] = [0, 0, 0]
        _ = words.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(place * Self.entrySize)) }
        places.withLock { $0.free.append(place) }
    }

    /// The clock ticks per second, the unit of start times in `/proc`.
    private let ticks = Int64(sysconf(Int32(_SC_CLK_TCK)))

    /// The present time, in clock ticks since the machine's boot.
    private var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * ticks + Int64(time.tv_nsec) * ticks / 1_000_000_000
    }

    // MARK: - What was left

    /// The groups of an earlier life that still exist; call it before this life starts any process.
    ///
    /// The number of a group may belong to another group by now. A group is the named group if its leader was started
    /// at the noted time. Without a leader, a group is the named group if a member's environment contains a text that
    /// no other program's environment contains.
    ///
    /// - Complexity: O(processes of the machine) if the file names any group, else O(1).
    public func leftovers(markedBy text: String) -> [Int32] {
        let entries = Dictionary(entries().map { ($0.group, $0.started) }) { first, _ in first }
        guard !entries.isEmpty, let processes = ProcessTable.livingProcesses() else { return [] }
        let mark = Array(text.utf8)
        var left: Set<pid_t> = []
        for (process, group) in processes where !left.contains(group) {
            guard let started = entries[group] else { continue }
            let isNamed =
                if let leader = ProcessTable.startTime(of: group) {
                    started.contains(leader)
                } else {
                    ProcessTable.environment(of: process, contains: mark)
                }
            if isNamed { left.insert(group) }
        }
        return left.sorted()
    }

    /// Kills process groups, waits until no member runs any more, and erases all entries.
    public func end(_ groups: [Int32]) {
        let groups = Set(groups)
        while true {
            for group in groups { kill(-group, SIGKILL) }
            let members = (ProcessTable.livingProcesses() ?? []).filter { groups.contains($0.group) }
            guard !members.isEmpty else { break }
            for member in members { Self.awaitEnd(of: member.process) }
        }
        ftruncate(descriptor, 0)
    }

    private static func awaitEnd(of process: pid_t) {
        let descriptor = cspawn_open(process)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&item, 1, -1) < 0, errno == EINTR {}
    }

    private func entries() -> [Entry] {
        var entries: [Entry] = []
        var words: [Int64] = [0, 0, 0]
        while words.withUnsafeMutableBytes({
            pread(descriptor, $0.baseAddress, $0.count, off_t(entries.count * Self.entrySize)) == $0.count
        }) {
            let group = pid_t(truncatingIfNeeded: words[0])
            entries.append(Entry(group: group, started: words[1]...max(words[1], words[2])))
        }
        return entries.filter { $0.group > 1 }
    }
}
