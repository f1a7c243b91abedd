/// What a process has used up to a moment, as proc(5) tells it.
public struct ProcessReading: Hashable, Sendable {
    /// Its own processor time; that of its children, whether they have ended or not, is not part of it.
    public var processorTime: Duration
    /// The memory that it has resident, in bytes.
    public var resident: Int64
    /// The most memory that it has had resident, in bytes.
    public var peak: Int64

    /// Reads the texts of a process's `stat` and `status`; nil where they are not of that form.
    ///
    /// - Parameter ticksPerSecond: the unit of processor times, `sysconf(_SC_CLK_TCK)`.
    public init?(stat: String, status: String, ticksPerSecond: Int) {
        // The program's name stands in parentheses and may have anything in it, parentheses too.
        guard let end = stat.lastIndex(of: ")"), ticksPerSecond > 0 else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        // The fields 14 and 15 of the line; the first after the name is its third.
        guard fields.count > 12, let user = Int64(fields[11]), let system = Int64(fields[12]),
            let resident = Self.bytes(of: "VmRSS", in: status), let peak = Self.bytes(of: "VmHWM", in: status)
        else { return nil }
        processorTime = .microseconds((user + system) * 1_000_000 / Int64(ticksPerSecond))
        self.resident = resident
        self.peak = peak
    }

    private static func bytes(of key: String, in status: String) -> Int64? {
        for line in status.split(separator: "\n") where line.hasPrefix(key + ":") {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count == 3, words[2] == "kB" else { return nil }
            return Int64(words[1]).map { $0 * 1024 }
        }
        return nil
    }
}
