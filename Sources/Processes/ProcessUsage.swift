import Glibc

/// The resources used by a process, and by the descendants for which it waited.
@_spi(Baton) public struct ProcessUsage: Sendable, Hashable {
    /// Processor time in the program.
    public var userTime: Duration = .zero

    /// Processor time in the kernel on the program's behalf.
    public var systemTime: Duration = .zero

    /// The most resident memory of a single process among them, in bytes.
    ///
    /// Never less than the resident memory of the process that started the program: until execve(2), the program's process shares that
    /// memory, and the kernel keeps the maximum.
    public var maximumResidentBytes: Int64 = 0

    /// Nothing used.
    public init() {}

    init(_ usage: rusage) {
        userTime = Duration(usage.ru_utime)
        systemTime = Duration(usage.ru_stime)
        // Linux counts it in KiB: getrusage(2).
        maximumResidentBytes = Int64(usage.ru_maxrss) * 1024
    }
}

extension Duration {
    fileprivate init(_ time: timeval) {
        self = .seconds(Int64(time.tv_sec)) + .microseconds(Int64(time.tv_usec))
    }
}
