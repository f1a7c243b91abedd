/// The rule for changes of clocks in the form of the variable `TZ` (POSIX): `CET-1CEST,M3.5.0,M10.5.0/3`.
struct PosixTimeZone: Hashable, Sendable {
    /// The seconds ahead of UTC in standard time.
    private let standard: Int64
    /// Summer time; nil for a zone without one.
    private let summer: Summer?

    /// Summer time.
    private struct Summer: Hashable, Sendable {
        /// The seconds ahead of UTC.
        var ahead: Int64
        /// When it begins, by the clocks of standard time.
        var start: YearlyMoment
        /// When it ends, by the clocks of summer time.
        var end: YearlyMoment
    }

    /// The rule for summer time that has none.
    private static let usualRule = ",M3.2.0,M11.1.0"

    /// Reads a rule; nil for a text of another form.
    init?(_ text: String) {
        var reader = PosixReader(text)
        guard reader.takeName(), let behind = reader.takeTime() else { return nil }
        standard = -behind
        guard !reader.isAtEnd else {
            summer = nil
            return
        }
        guard reader.takeName() else { return nil }
        var ahead = standard + 3600
        if !reader.isAtEnd, !reader.isAt(",") {
            guard let behind = reader.takeTime() else { return nil }
            ahead = -behind
        }
        if reader.isAtEnd { reader = PosixReader(Self.usualRule) }
        guard reader.take(","), let start = YearlyMoment(from: &reader), reader.take(","),
            let end = YearlyMoment(from: &reader), reader.isAtEnd
        else { return nil }
        summer = Summer(ahead: ahead, start: start, end: end)
    }

    /// How many seconds the clocks are ahead of UTC at a moment in seconds since the start of 1970.
    func ahead(at moment: Int64) -> Int64 {
        guard let summer else { return standard }
        let day = (moment + standard).quotientAndFloorRemainder(dividingBy: 86_400).quotient
        let year = CivilDate(daysSince1970: day).year
        let start = summer.start.seconds(in: year) - standard
        let end = summer.end.seconds(in: year) - summer.ahead
        // In the south, summer goes over the end of the year.
        let isSummer = start < end ? start <= moment && moment < end : !(end <= moment && moment < start)
        return isSummer ? summer.ahead : standard
    }
}
