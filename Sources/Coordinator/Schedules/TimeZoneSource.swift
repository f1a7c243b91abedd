@_spi(Baton) import BatonOperations

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where the coordinator finds the rules of time zones.
package struct TimeZoneSource: Sendable {
    /// The file of a time zone; nil if there is none.
    private let file: @Sendable (String) -> [UInt8]?

    /// Finds the files of time zones in another way than on the host.
    package init(_ file: @escaping @Sendable (String) -> [UInt8]?) {
        self.file = file
    }

    /// The rules of a time zone that may have such a name; nil if there is none.
    ///
    /// UTC needs no file, so that a host without the database can have schedules too.
    func rules(of name: String) -> TimeZoneRules? {
        name == ScheduleSettings.defaultTimeZone ? .utc : file(name).flatMap { TimeZoneRules(file: $0) }
    }

    /// The time zone database of the host, read when a schedule needs it.
    package static let host = TimeZoneSource { name in
        let descriptor = open("/usr/share/zoneinfo/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 12)
        while bytes.count <= TimeZoneSource.longestFile {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += buffer[..<count]
        }
        return nil
    }

    /// More bytes than the file of any time zone has.
    private static let longestFile = 1 << 20
}
