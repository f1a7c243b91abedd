@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

/// Remembers how many operations had failed at the beginning of each minute of the last hour.
///
/// Owns a number for each of these minutes, and no more.
struct RecentFailures {
    /// How long failures count as recent.
    private static let memory: Int64 = 60

    /// The minutes in which somebody looked, oldest first, with the failures before each look.
    private var marks: [(minute: Int64, failed: Int)]

    /// Starts with the failures of the last hour before, which are in the record.
    init(at now: Timestamp, earlier: RecentEnds = RecentEnds()) {
        let present = Self.minute(of: now)
        let minutes = earlier.failuresByMinute.filter { (present - Self.memory...present).contains($0.minute) }
        var failed = -minutes.reduce(0) { $0 + $1.failed }
        marks = []
        for minute in minutes {
            if marks.last?.minute != minute.minute { marks.append((minute.minute, failed)) }
            failed += minute.failed
            if minute.minute < present { marks.append((minute.minute + 1, failed)) }
        }
        if marks.last?.minute != present { marks.append((present, 0)) }
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

    /// Forgets the failures of removed jobs, given by the minute of their end.
    mutating func forget(_ failures: [Int64: Int], at time: ShownTime) {
        let ahead = time.ahead.microseconds / 60_000_000
        for (shown, failed) in failures where shown - ahead >= Self.minute(of: time.now) - Self.memory {
            let minute = shown - ahead
            // The first mark counts failures that were told late, too.
            for place in marks.indices where place == 0 || marks[place].minute <= minute {
                marks[place].failed += failed
            }
        }
    }

    /// The number of failures in the last hour, to the minute.
    ///
    /// - Parameter failed: the number of failures since the start.
    func count(of failed: Int) -> Int { max(0, failed - (marks.first?.failed ?? 0)) }

    private static func minute(of time: Timestamp) -> Int64 { time.rawValue / 60_000_000 }
}
