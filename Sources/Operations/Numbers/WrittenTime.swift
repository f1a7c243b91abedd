/// A time as users write it: a time of day such as `22:00`, which stands for its next occurrence, or a date with a time such as
/// `2026-12-01T06:00+01:00`.
///
/// Without an offset from UTC, the time is local. A local time that a change of the clock leaves out stands for the first moment after
/// it; of two moments with the same local time, the first counts.
@_spi(Baton) public struct WrittenTime: Hashable, Sendable {
    /// The day; nil for a time of day alone.
    private var day: CivilDay?
    /// The time of day in seconds.
    private var second: Int64
    /// By how many seconds the clock of the text is ahead of UTC; nil for a local time.
    private var offset: Int64?

    /// The forms of times, for the end of an error's sentence.
    public static let forms =
        "a time of day such as 22:00, or a date with a time such as 2026-12-01T06:00 or 2026-12-01T06:00+01:00"

    /// Reads a time; nil for a text of another form, and for a time that no day has.
    ///
    /// A date alone is its midnight; a space may stand for the T.
    public init?(_ text: String) {
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
        var clock = parts[parts.count - 1]
        if parts.count == 2 || !clock.contains(":") {
            guard let date = Self.numbers(parts[0], separator: "-", lengths: [4...4, 2...2, 2...2]),
                let day = CivilDay(year: date[0], month: date[1], day: date[2])
            else { return nil }
            self.day = day
        }
        guard parts.count == 2 || day == nil else {
            second = 0
            return
        }
        if clock.hasSuffix("Z") {
            clock = clock.dropLast()
            offset = 0
        } else if let sign = clock.lastIndex(where: { $0 == "+" || $0 == "-" }) {
            guard let ahead = Self.second(of: clock[clock.index(after: sign)...]) else { return nil }
            offset = clock[sign] == "-" ? -ahead : ahead
            clock = clock[..<sign]
        }
        guard let second = Self.second(of: clock) else { return nil }
        self.second = second
    }

    /// The time from a present moment to the written one; nil for a time to which there is an objection.
    public func wait(at present: PresentTime) -> Duration? {
        guard objection(at: present) == nil else { return nil }
        return moment(at: present).map { $0 - present.moment }
    }

    /// Why nothing can wait for the time, as the end of a sentence that begins with the time; nil for other times.
    public func objection(at present: PresentTime) -> String? {
        guard let moment = moment(at: present) else {
            return "has no offset from UTC: add one, such as Z or +01:00"
        }
        if moment <= present.moment { return "has passed" }
        return moment - present.moment > .longestAllowed ? "is more than 10000 days ahead" : nil
    }

    /// The moment of a date with an offset from UTC; nil for other times, whose moment depends on the place or on the present.
    var fixedMoment: Timestamp? {
        guard let day, let offset else { return nil }
        return Self.moment(ofLocal: day.daysSince1970 * Self.dayLength + second) { _ in offset }
    }

    /// The moment that the text means; nil for a local time where there is none.
    private func moment(at present: PresentTime) -> Timestamp? {
        let zone: (Int64) -> Int64
        if let offset {
            zone = { _ in offset }
        } else if let local = present.offset {
            zone = local
        } else {
            return nil
        }
        if let day { return Self.moment(ofLocal: day.daysSince1970 * Self.dayLength + second, zone) }
        let now = present.moment.rawValue / 1_000_000
        let today = (now + zone(now)) / Self.dayLength
        let first = Self.moment(ofLocal: today * Self.dayLength + second, zone)
        return first > present.moment ? first : Self.moment(ofLocal: (today + 1) * Self.dayLength + second, zone)
    }

    /// The first moment with a local time, or the first after the local times that a change of the clock leaves out.
    ///
    /// - Parameters:
    ///   - local: the seconds that the local clock shows, counted from the start of 1970.
    ///   - zone: by how many seconds local clocks are ahead of UTC, so many seconds after the start of 1970.
    private static func moment(ofLocal local: Int64, _ zone: (Int64) -> Int64) -> Timestamp {
        // A local clock is less than a day from UTC, and changes at most once within the two days.
        let (before, after) = (zone(local - dayLength), zone(local + dayLength))
        var seconds = local - before
        if zone(seconds) != before {
            seconds = local - after
            if zone(seconds) != after {
                var early = seconds
                seconds = local - before
                while seconds - early > 1 {
                    let middle = early + (seconds - early) / 2
                    if zone(middle) == before { early = middle } else { seconds = middle }
                }
            }
        }
        return Timestamp(rawValue: seconds * 1_000_000)
    }

    private static let dayLength: Int64 = 86_400

    /// The seconds of a time of day: hours and minutes, and perhaps seconds.
    private static func second(of text: Substring) -> Int64? {
        guard
            let parts = numbers(text, separator: ":", lengths: [1...2, 2...2])
                ?? numbers(text, separator: ":", lengths: [1...2, 2...2, 2...2]),
            parts[0] < 24, parts[1...].allSatisfy({ $0 < 60 })
        else { return nil }
        return (parts[0] * 60 + parts[1]) * 60 + (parts.count == 3 ? parts[2] : 0)
    }

    /// Numbers with so many digits each; nil for another text.
    private static func numbers(_ text: Substring, separator: Character, lengths: [ClosedRange<Int>]) -> [Int64]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.count == lengths.count else { return nil }
        var numbers: [Int64] = []
        for (part, length) in zip(parts, lengths) {
            guard length.contains(part.utf8.count), part.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int64(part)
            else { return nil }
            numbers.append(number)
        }
        return numbers
    }
}
