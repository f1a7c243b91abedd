/// The moments that a cron expression means in a time zone (SC2).
///
/// A local time that clocks leave out is the moment at which they do, and one that they show twice counts once. An expression with
/// every hour goes by the time that passes instead, so that a schedule of every ten minutes neither pauses nor doubles.
@_spi(Baton) public struct ScheduleTimes: Hashable, Sendable {
    private let expression: CronExpression
    private let zone: TimeZoneRules

    /// Reads an expression by the clocks of a time zone.
    public init(_ expression: CronExpression, in zone: TimeZoneRules) {
        self.expression = expression
        self.zone = zone
    }

    /// The first time after a moment; nil if none comes in the years that a record can hold.
    public func next(after moment: Timestamp) -> Timestamp? {
        let moment = moment.nearestRecordable
        let seconds = moment.rawValue.quotientAndFloorRemainder(dividingBy: 1_000_000).quotient
        guard let next = expression.isEveryHour ? elapsing(from: seconds + 1) : shown(after: seconds) else {
            return nil
        }
        let time = Timestamp(rawValue: next * 1_000_000)
        return Timestamp.recordable.contains(time) ? time : nil
    }

    /// The next times after a moment, at most so many.
    public func next(_ count: Int, after moment: Timestamp) -> [Timestamp] {
        var times: [Timestamp] = []
        while times.count < count, let time = next(after: times.last ?? moment) { times.append(time) }
        return times
    }

    /// The last time after a moment and not after a later one; nil if there is none.
    public func last(after start: Timestamp, through end: Timestamp) -> Timestamp? {
        // The stretch grows, so that neither a long absence nor a rare time takes many steps.
        var stretch = Duration.seconds(86_400)
        while true {
            let from = max(start, end.before(microseconds: stretch.microseconds))
            var last: Timestamp?
            while let time = next(after: last ?? from), time <= end { last = time }
            if last != nil || from == start { return last }
            stretch *= 32
        }
    }

    /// The first moment after another at which clocks show a time of the expression for the first time.
    private func shown(after seconds: Int64) -> Int64? {
        var minute = Self.minute(of: seconds + zone.ahead(at: seconds))
        while let next = expression.minute(after: minute) {
            let moment = zone.moment(ofLocal: next * 60)
            if moment > seconds { return moment }
            minute = next
        }
        return nil
    }

    /// The first moment from another on at which clocks show a time of the expression.
    private func elapsing(from seconds: Int64) -> Int64? {
        var start = seconds
        while true {
            let ahead = zone.ahead(at: start)
            // The minute before the first one that begins at the start or later.
            let before = Self.minute(of: start + ahead - 1)
            guard let next = expression.minute(after: before) else { return nil }
            let moment = next * 60 - ahead
            if zone.ahead(at: moment) == ahead { return moment }
            start = zone.change(after: start, through: moment)
        }
    }

    private static func minute(of seconds: Int64) -> Int64 {
        seconds.quotientAndFloorRemainder(dividingBy: 60).quotient
    }
}
