@_spi(Baton) import BatonOperations

/// Remembers how many operations had failed at the beginning of each minute of the last hour.
///
/// Owns a number for each of these minutes, and no more.
struct RecentFailures {
    /// How long failures count as recent.
    private static let memory: Int64 = 60

    /// The minutes in which somebody looked, oldest first, with the failures before each look.
    private var marks: [(minute: Int64, failed: Int)]

    /// Starts without a failure.
    init(at now: Timestamp) {
        marks = [(Self.minute(of: now), 0)]
    }

    /// Notes the number of failures since the start, once in a minute.
    mutating func note(_ failed: @autoclosure () -> Int, at now: Timestamp) {
        let minute = Self.minute(of: now)
        guard let last = marks.last, last.minute < minute else { return }
        marks.append((minute, failed()))
        // The mark before the hour stays: nobody may have looked for a while.
        let overdue = marks.dropFirst().prefix { minute - $0.minute >= Self.memory }.count
        marks.removeFirst(overdue)
    }

    /// The number of failures in the last hour, to the minute.
    ///
    /// - Parameter failed: the number of failures since the start.
    func count(of failed: Int) -> Int { max(0, failed - (marks.first?.failed ?? 0)) }

    private static func minute(of time: Timestamp) -> Int64 { time.rawValue / 60_000_000 }
}
