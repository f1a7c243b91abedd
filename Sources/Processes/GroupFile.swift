import CBatonSpawn
import Glibc
import Synchronization

/// A file that names the process groups which are running, so that a later life of a program that was killed can end what it
/// left behind: the kernel kills the leaders with it, but not what those have started.
///
/// Each running group has a place in it, which is written before it executes anything and again when it is gone: a write of 24 bytes
/// into the kernel's cache, since only a program that dies leaves anything behind, and no machine that does. Where a write
/// fails, the group runs all the same and is merely not named.
public final class GroupFile: Sendable {
    /// A process group, and between which moments its leader was started, in clock ticks since the machine was.
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

    /// Opens the file, which is made where there is none.
    ///
    /// - Throws: `SystemFailure` where it cannot be opened.
    public init(path: String) throws(SystemFailure) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemFailure("cannot open \"\(path)\"") }
    }

    deinit { close(descriptor) }

    // MARK: - What is running

    /// A place for a group that is going to be started; to be given to ``erase(_:)``.
    func reserve() -> Int {
        places.withLock { places -> Int in
            if let free = places.free.popLast() { return free }
            places.count += 1
            return places.count - 1
        }
    }

    /// Has a launch name its group at a place.
    func prepare(_ request: inout cspawn_request, at place: Int) {
        request.note_descriptor = descriptor
        request.note_offset = off_t(place * Self.entrySize)
        request.note_since = now
        request.note_ticks = ticks
    }

    /// Puts the file in its place again where somebody has removed it, with what it names; where that fails, it stays away.
    ///
    /// To be called by the thread that starts the groups: nothing may be written meanwhile.
    func restore() {
        guard access(path, F_OK) != 0 else { return }
        let copy = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard copy >= 0 else { return }
        defer { close(copy) }
        var bytes = [UInt8](repeating: 0, count: places.withLock { $0.count } * Self.entrySize)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        if count > 0 { pwrite(copy, bytes, count, 0) }
        if dup2(copy, descriptor) >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }

    /// Forgets a group, which is gone.
    func erase(_ place: Int) {
        let words: [Int64] = [0, 0, 0]
        _ = words.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(place * Self.entrySize)) }
        places.withLock { $0.free.append(place) }
    }

    /// Clock ticks a second, by which `/proc` tells when processes were started.
    private let ticks = Int64(sysconf(Int32(_SC_CLK_TCK)))

    /// The moment in clock ticks since the machine was started.
    private var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * ticks + Int64(time.tv_nsec) * ticks / 1_000_000_000
    }

    // MARK: - What was left

    /// The groups of an earlier life that are still there; to be called before anything is started in this one.
    ///
    /// A number may belong to somebody else by now. A group is the one that was named if its leader was started at that
    /// moment, or, where it has no leader any more, if a member's environment has a text in it that no other program's has.
    ///
    /// - Complexity: O(processes of the machine) where anything is named, else O(1).
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

    /// Kills process groups, waits until nothing of them runs any more, and forgets all that is named.
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
