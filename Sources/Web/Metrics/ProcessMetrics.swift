@_spi(Baton) import BatonOperations

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the process uses, under the names that all programs share.
struct ProcessMetrics {
    /// The processor time of the process, in seconds.
    let cpuSeconds: Double
    /// The most file descriptors that the process may have.
    let mostDescriptors: UInt64
    /// The number of open file descriptors; nil where the system does not tell.
    let descriptors: Int?
    /// The resident memory in bytes; nil where the system does not tell.
    let residentBytes: Int?

    /// Looks at the process.
    ///
    /// - Complexity: O(open file descriptors).
    init() {
        var usage = rusage()
        var limit = rlimit()
        #if canImport(Glibc)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
            getrusage(RUSAGE_SELF, &usage)
            getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        cpuSeconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
        mostDescriptors = UInt64(limit.rlim_cur)
        descriptors = Self.entries(of: "/proc/self/fd")
        residentBytes = Self.residentPages().map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
    }

    /// Writes the metrics.
    ///
    /// - Parameter startedAt: the start of the process.
    func write(to writer: inout MetricsWriter, startedAt: Timestamp) {
        writer.begin("process_cpu_seconds_total", .counter, "Processor time of the coordinator's process.")
        writer.sample(cpuSeconds)
        if let residentBytes {
            writer.begin("process_resident_memory_bytes", .gauge, "Resident memory of the coordinator's process.")
            writer.sample(residentBytes)
        }
        if let descriptors {
            writer.begin("process_open_fds", .gauge, "Open file descriptors of the coordinator's process.")
            writer.sample(descriptors)
        }
        writer.begin("process_max_fds", .gauge, "The most file descriptors that the coordinator's process may have.")
        writer.sample(mostDescriptors)
        writer.begin("process_start_time_seconds", .gauge, "Start of the coordinator, in seconds since 1970.")
        writer.sample(Double(startedAt.rawValue) / 1e6)
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    /// The number of entries of a directory, without the descriptor that reads it; nil if there is no such directory.
    private static func entries(of path: String) -> Int? {
        guard let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return max(0, count - 3)
    }

    /// The second number in `/proc/self/statm`; nil where there is no such file.
    private static func residentPages() -> Int? {
        let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let words = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
        return words.count > 1 ? Int(words[1]) : nil
    }
}
