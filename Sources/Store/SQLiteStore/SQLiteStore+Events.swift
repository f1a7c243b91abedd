public import Operations

extension SQLiteStore {
    /// Reads what happened after an event.
    ///
    /// - Complexity: O(limit), and what stands in the rows before it.
    public func events(after number: UInt64, limit: Int) throws(StoreError) -> [ClusterEvent] {
        try with { statements throws(SQLiteError) in
            var events: [ClusterEvent] = []
            var numbers: UInt64 = 0
            statements.eventsAfter.bind(1, Int64(clamping: number))
            try statements.eventsAfter.forEach { row throws(SQLiteError) in
                let first: UInt64 = try row.number(0)
                let stored = try row.withBytes(1) { bytes throws(SQLiteError) in
                    try EventBlob.read(bytes, first: first)
                }
                for event in stored where event.sequence + event.count - 1 > number {
                    guard numbers < UInt64(max(0, limit)) else { return false }
                    events.append(event)
                    numbers += event.count
                }
                return true
            }
            return events
        }
    }
}
