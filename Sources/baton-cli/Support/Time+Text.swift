@_spi(Baton) import BatonOperations

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension Timestamp {
    /// The timestamp in local time, to the second: `2026-11-21 04:04:05`.
    var localText: String {
        let parts = localParts
        return Self.day(parts) + " " + Self.clock(parts)
    }

    /// The day in local time: `2026-11-21`.
    var localDay: String { Self.day(localParts) }

    /// The time of day in local time, to the millisecond: `04:04:05.678`.
    var localClock: String {
        let milliseconds = String(rawValue / 1000 % 1000)
        return Self.clock(localParts) + "." + String(repeating: "0", count: max(0, 3 - milliseconds.count))
            + milliseconds
    }

    private var localParts: tm {
        var seconds = time_t(rawValue / 1_000_000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return parts
    }

    private static func day(_ parts: tm) -> String {
        "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    }

    private static func clock(_ parts: tm) -> String {
        "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    }

    private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The current time.
    static var now: Timestamp {
        Timestamp(rawValue: Int64(Date().timeIntervalSince1970 * 1_000_000))
    }
}
