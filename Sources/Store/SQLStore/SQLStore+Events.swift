@_spi(Baton) public import BatonOperations

/// The history of events for watching clients (OB10): rows of many events each, in the order of their numbers.
@_spi(Baton) extension SQLStore {
    /// The most bytes of events in a row, give or take one event.
    private static let eventBytesPerRow = 64 << 10

    /// Reads the events after a number.
    ///
    /// - Complexity: O(limit), plus the other events in the first and last row of the page.
    public func events(after number: UInt64, limit: Int) throws(StoreError) -> [ClusterEvent] {
        try with { statements throws(SQLError) in
            var events: [ClusterEvent] = []
            var numbers: UInt64 = 0
            guard limit > 0 else { return [] }
            statements.events.eventsAfter.bind(.event, Int64(clamping: number))
            try statements.events.eventsAfter.forEach { row throws(SQLError) in
                let first: UInt64 = try row.number(0)
                let last: UInt64 = try row.number(1)
                let stored = try row.withBytes(2) { bytes throws(SQLError) in
                    try EventBlob.read(bytes, first: first, last: last)
                }
                for event in stored where event.sequence + event.count - 1 > number {
                    guard numbers < UInt64(limit) else { return false }
                    events.append(event)
                    numbers += event.count
                }
                return numbers < UInt64(limit)
            }
            return events
        }
    }

    /// Stores the events among some changes in few rows, and drops events that have become too old.
    ///
    /// - Throws: `constraint` unless the numbers of the events are above all stored numbers.
    func insertEvents(of changes: [RecordChange], _ statements: Statements) throws(SQLError) {
        var row = EventRow()
        var requested: [ClusterEvent] = []
        for case .event(var event) in changes {
            event.time = event.time.nearestRecordable
            if event.by != nil { requested.append(event) }
            if row.count > 0, event.sequence != row.last + 1 || row.writer.bytes.count > Self.eventBytesPerRow {
                try insert(row, statements)
                row = EventRow()
            }
            try row.append(event)
        }
        guard row.count > 0 else { return }
        try insert(row, statements)
        nextTally.event = row.last
        if !requested.isEmpty { try insertActions(of: requested, statements) }
        try dropEvents(statements)
    }

    /// How many transactions with events a server gets for each that drops old ones.
    private static let transactionsPerDrop: UInt64 = 64

    /// Drops events that have become too old, and the actions that are older than all events.
    ///
    /// The answer whether there was any would take a round trip to a server: it drops all in one go, now and then.
    private func dropEvents(_ statements: Statements) throws(SQLError) {
        let isOnServer = statements.server != nil
        if isOnServer {
            transactionsWithEvents += 1
            guard transactionsWithEvents.isMultiple(of: Self.transactionsPerDrop) else { return }
        }
        statements.events.deleteEvents.bind(.limit, Int64(clamping: eventHistory))
        try statements.events.deleteEvents.run()
        if !isOnServer {
            guard try statements.events.deleteEvents.changedRows > 0 else { return }
        }
        try statements.events.deleteActions.run()
    }

    private func insert(_ row: EventRow, _ statements: Statements) throws(SQLError) {
        try Self.insert(row, statements.events.insertEvents, isCounted: statements.server == nil)
    }

    /// Inserts an event into a record that no coordinator has.
    static func insert(_ event: ClusterEvent, into database: Database) throws(SQLError) {
        let statement = Statements.Events.makeInsertEvents()
        try statement.attach(to: database)
        var row = EventRow()
        try row.append(event)
        try insert(row, statement, isCounted: true)
    }

    /// Inserts a row.
    ///
    /// - Parameter isCounted: whether to look if there is a new row; a server's statement fails by itself if there is none.
    private static func insert(
        _ row: EventRow,
        _ statement: Statement,
        isCounted: Bool
    ) throws(SQLError) {
        statement.bind((.last, row.last), (.first, row.first), (.count, row.count))
        statement.bind(.data, bytes: row.writer.bytes)
        try statement.run()
        guard isCounted else { return }
        guard try statement.changedRows == 1 else {
            throw SQLError(.constraint, "event \(row.first) comes after one with a higher number")
        }
    }
}

/// Consecutive events for one row.
private struct EventRow {
    var writer = EventBlob.Writer()
    /// The number of events.
    var count = 0
    /// The number of the first event, and the last number of the last event.
    var first: UInt64 = 0
    var last: UInt64 = 0

    /// Adds an event at the end.
    ///
    /// - Throws: `constraint` for an event without a number, or with a number too large for a column.
    mutating func append(_ event: ClusterEvent) throws(SQLError) {
        guard event.count > 0, event.sequence <= UInt64(Int64.max) - event.count else {
            throw SQLError(.constraint, "event \(event.sequence) takes \(event.count) numbers")
        }
        if count == 0 { first = event.sequence }
        writer.append(event)
        count += 1
        last = event.sequence + event.count - 1
    }
}
