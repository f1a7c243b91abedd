@_spi(Baton) public import BatonOperations

/// The shown times of what has not ended, which follow the host's clock.
@_spi(Baton) extension SQLStore {
    /// The least lead of a record that counts, in microseconds: as much as the least step of the clock that a coordinator notices.
    private static let leastLead: Int64 = 50_000

    /// Moves the times of what has not ended back, if the record's newest time is ahead of the host's clock.
    ///
    /// Call it before ``open(as:)``. While no coordinator ran, nobody saw the clock being set. The time that passed meanwhile is
    /// unknown, and counts as nothing.
    ///
    /// - Returns: the lead of the record; nil if it has none.
    /// - Complexity: O(unfinished jobs), and with a lead also O(their rows of operations).
    public func followClock(at now: Timestamp) throws(StoreError) -> RecordLead? {
        guard let newest = try newestTime(), newest.rawValue &- now.rawValue >= Self.leastLead else { return nil }
        let length = newest.rawValue &- now.rawValue &+ 1
        let floor = try transaction { statements throws(SQLError) in
            var floor = Int64.min
            for statement in statements.record.newestTimes {
                statement.bind(.until, now.rawValue)
                let time = try statement.first { row throws(SQLError) in try row.optional(0, as: Int64.self) }
                floor = max(floor, (time ?? nil) ?? .min)
            }
            try Self.moveTimes(by: -length, in: (now.rawValue + 1)...(.max), notBelow: floor, statements)
            try self.count(statements)
            return floor
        }
        lead = RecordLead(newest: newest, length: .microseconds(length), floor: Timestamp(rawValue: floor))
        return lead
    }

    /// The newest time of day in the record, as far as it is known; nil for a new record.
    ///
    /// The record's own clock has gone on since the last event. How far the time of day was ahead of that clock is known from the jobs
    /// that have not ended.
    private func newestTime() throws(StoreError) -> Timestamp? {
        let (event, clock, ahead) = try with { statements throws(SQLError) in
            let event = try statements.events.newestEvent.first { row throws(SQLError) in
                try row.optional(0, as: UInt64.self)
            }
            let ahead = try statements.record.greatestClockOffset.first { row throws(SQLError) in
                try row.optional(0, as: Int64.self)
            }
            return ((event ?? nil) ?? 0, try Self.clock(statements), ahead ?? nil)
        }
        var newest: Timestamp?
        if event > 0 {
            // A damaged history of events is told to those who read it, and is no reason not to start.
            newest = (try? events(after: event - 1, limit: 1))?.last?.time
        }
        guard let clock, let ahead else { return newest }
        let reading = Timestamp(rawValue: clock.rawValue &+ ahead)
        return max(newest ?? reading, reading)
    }

    /// Moves the shown times of what has begun in this run of the coordinator and has not ended, after the host's clock was set.
    ///
    /// What has ended keeps its times. Nothing sorts by these times, and what waits does so by the record's clock.
    ///
    /// - Parameter time: the present moment by the host's clock.
    /// - Complexity: O(unfinished jobs and their rows of operations), for an event that is rare.
    func move(_ step: ShownTimes.Step, at time: Timestamp, _ statements: Statements) throws(SQLError) {
        try Self.moveTimes(by: step.length, in: step.moved, notBelow: .min, statements)
        guard let lead, lead.isOutrun(at: time, after: .microseconds(step.length)) else { return }
        // The clock was wrong at the start, and the times of earlier runs were right.
        let first = lead.floor.rawValue + 1
        let last = lead.newest.rawValue - lead.length.microseconds
        try Self.moveTimes(by: lead.length.microseconds, in: first...max(first, last), notBelow: .min, statements)
    }

    private static func moveTimes(
        by length: Int64,
        in moved: ClosedRange<Int64>,
        notBelow floor: Int64,
        _ statements: Statements
    ) throws(SQLError) {
        for statement in statements.record.moveTimes {
            statement.bind(
                (.step, length),
                (.from, moved.lowerBound),
                (.last, moved.upperBound),
                (.floor, floor)
            )
            try statement.run()
        }
    }
}
