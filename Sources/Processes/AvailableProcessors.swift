import Glibc

/// The processors that the affinity and the control groups of the process allow.
@_spi(Baton) public struct AvailableProcessors: Sendable, Equatable {
    /// The number of processors in thousandths, above 0.
    ///
    /// A quota of processor time counts as the processors that it fills: a container with half a processor has 500.
    public let thousandths: Int

    /// The number of whole processors, at least 1.
    public var count: Int { max(1, thousandths / 1_000) }

    /// Reads the affinity of the process, and the quotas of its control groups and their parents: `cpu.max` of version 2,
    /// `cpu.cfs_quota_us` of version 1.
    ///
    /// The cost is some tens of microseconds.
    public init() {
        self.init(root: "")
    }

    /// - Parameter root: a directory in place of `/`, for tests.
    init(root: String) {
        let groups = ControlGroups(root: root)
        let quotas = groups.limits(inUnified: Self.unifiedQuota, inSplit: Self.splitQuota, of: "cpu")
        thousandths = max(1, quotas.reduce(Self.affinity(root: root) * 1_000, min))
    }

    /// The quota of a group of version 2, in thousandths of a processor: `50000 100000` is 500; nil for `max`.
    private static func unifiedQuota(_ directory: String) -> Int? {
        let fields = KernelFile.text(of: directory + "/cpu.max").split { $0.isWhitespace }
        guard fields.count == 2 else { return nil }
        return quota(fields[0], of: fields[1])
    }

    /// The quota of a group of version 1, in thousandths of a processor; nil for -1.
    private static func splitQuota(_ directory: String) -> Int? {
        let files = ["cpu.cfs_quota_us", "cpu.cfs_period_us"]
        let values = files.map { KernelFile.text(of: directory + "/" + $0).split { $0.isWhitespace }.first }
        guard let time = values[0], let period = values[1] else { return nil }
        return quota(time, of: period)
    }

    private static func quota(_ time: Substring, of period: Substring) -> Int? {
        guard let time = Int(time), let period = Int(period), time > 0, period > 0 else { return nil }
        let (product, overflows) = time.multipliedReportingOverflow(by: 1_000)
        return overflows ? nil : product / period
    }

    /// The number of processors on which the process may run, at least 1.
    ///
    /// The list in `/proc/self/status` has processors that the host could have, too.
    private static func affinity(root: String) -> Int {
        let status = KernelFile.text(of: root + "/proc/self/status").split(separator: "\n")
        let label = "Cpus_allowed_list:"
        let online = processors(KernelFile.text(of: root + "/sys/devices/system/cpu/online")[...])
        guard let list = status.first(where: { $0.hasPrefix(label) }), let online,
            let allowed = processors(list.dropFirst(label.count))?.intersection(online), !allowed.isEmpty
        else { return max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
        return allowed.count
    }

    /// The numbers of a list such as `0-3,8`; nil for another text.
    private static func processors(_ list: Substring) -> Set<UInt16>? {
        guard let text = list.split(whereSeparator: \.isWhitespace).first else { return nil }
        var numbers: Set<UInt16> = []
        for range in text.split(separator: ",") {
            let ends = range.split(separator: "-").map { UInt16($0) }
            guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2, first <= last else {
                return nil
            }
            numbers.formUnion(first...last)
        }
        return numbers
    }
}
