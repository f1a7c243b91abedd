/// The resources used by a process up to a moment, as reported by proc(5).
@_spi(Baton) public struct ProcessReading: Hashable, Sendable {
    /// The processor time of the process; the time of children, running or ended, is not included.
    public var processorTime: Duration
    /// The resident memory of the process, in bytes.
    public var resident: Int64
    /// The peak of the resident memory, in bytes.
    public var peak: Int64

    /// Reads the texts of a process's `stat` and `status`; nil if a text has another form.
    ///
    /// - Parameter ticksPerSecond: the unit of processor times, `sysconf(_SC_CLK_TCK)`.
    public init?(stat: String, status: String, ticksPerSecond: Int) {
        // The program's name is in parentheses and may contain any character, including parentheses.
        guard let end = stat.lastIndex(of: ")"), ticksPerSecond > 0 else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        // Fields 14 and 15 of the line are the processor times; the first field after the name is number 3.
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
