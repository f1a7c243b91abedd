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

    /// Reads a local time in the form of ``localText``; the time of day may lack the seconds, or be missing.
    init?(localText text: String) {
        func numbers(_ text: Substring, separator: Character) -> [Int32] {
            text.split(separator: separator, omittingEmptySubsequences: false).map { Int32($0, radix: 10) ?? -1 }
        }
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        let day = numbers(parts[0], separator: "-")
        let clock = parts.count == 2 ? numbers(parts[1], separator: ":") : [0, 0]
        guard parts.count <= 2, day.count == 3, (2...3).contains(clock.count), (1970..<10_000).contains(day[0]),
            (1...12).contains(day[1]), (1...31).contains(day[2]), (0..<24).contains(clock[0]),
            (0..<60).contains(clock[1]), (0..<60).contains(clock.count == 3 ? clock[2] : 0)
        else { return nil }
        var local = tm()
        (local.tm_year, local.tm_mon, local.tm_mday) = (day[0] - 1900, day[1] - 1, day[2])
        (local.tm_hour, local.tm_min, local.tm_sec) = (clock[0], clock[1], clock.count == 3 ? clock[2] : 0)
        // The system decides about daylight saving.
        local.tm_isdst = -1
        self.init(rawValue: Int64(mktime(&local)) * 1_000_000)
    }

    private var localParts: tm { Self.localParts(ofSeconds: rawValue / 1_000_000) }

    fileprivate static func localParts(ofSeconds seconds: Int64) -> tm {
        var seconds = time_t(seconds)
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

extension PresentTime {
    /// The present moment and the local time of this process.
    static var here: PresentTime {
        PresentTime(.now) { Int64(Timestamp.localParts(ofSeconds: $0).tm_gmtoff) }
    }
}
