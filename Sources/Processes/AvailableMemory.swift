/// The memory that the host and the control groups of the process allow.
@_spi(Baton) public struct AvailableMemory: Sendable, Equatable {
    /// The number of bytes, above 0.
    public let bytes: Int64
    /// Whether control groups limit it, as in a container with a limit; a limit above the host's memory is none.
    ///
    /// Some containers are told their limit as the host's memory (lxcfs).
    public let isLimited: Bool

    /// Reads the host's memory, and the limits of the process's control groups and their parents: `memory.max` of version 2,
    /// `memory.limit_in_bytes` of version 1.
    ///
    /// The cost is some tens of microseconds.
    public init() {
        self.init(root: "")
    }

    /// Describes memory that was found out before.
    package init(bytes: Int64, isLimited: Bool) {
        self.bytes = bytes
        self.isLimited = isLimited
    }

    /// - Parameter root: a directory in place of `/`, for tests.
    init(root: String) {
        let limits = ControlGroups(root: root).limits(
            inUnified: { Self.limit(at: $0 + "/memory.max") },
            // A group without a limit has the largest multiple of a page, far above the host's memory.
            inSplit: { Self.limit(at: $0 + "/memory.limit_in_bytes") },
            of: "memory"
        )
        let total = Self.total(root: root)
        bytes = limits.reduce(total, min)
        isLimited = limits.contains { $0 <= total }
    }

    /// The limit in a file; nil for `max`.
    private static func limit(at path: String) -> Int64? {
        KernelFile.text(of: path).split(whereSeparator: \.isWhitespace).first.flatMap { Int64($0) }
            .flatMap { $0 > 0 ? $0 : nil }
    }

    /// The memory of the host.
    private static func total(root: String) -> Int64 {
        let lines = KernelFile.text(of: root + "/proc/meminfo").split(separator: "\n")
        let fields = lines.first { $0.hasPrefix("MemTotal:") }?.split(whereSeparator: \.isWhitespace) ?? []
        guard fields.count == 3, let count = Int64(fields[1]), count > 0 else { return .max }
        return count.multipliedReportingOverflow(by: 1024).overflow ? .max : count * 1024
    }
}
