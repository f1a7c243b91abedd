@_spi(Baton) import BatonOperations

/// The table of the changes that somebody asked for, for people who read the record.
///
/// The table repeats facts of the events, and no query of Baton reads it.
extension SQLStore {
    /// Stores the changes of events that name a requester, with one row for neighbouring operations.
    func insertActions(of events: [ClusterEvent], _ statements: Statements) throws(SQLError) {
        var row: ActionRow?
        for event in events {
            guard let next = ActionRow(event) else { continue }
            if row?.absorb(next) == true { continue }
            if let row { try insert(row, statements) }
            row = next
        }
        if let row { try insert(row, statements) }
    }

    private func insert(_ row: ActionRow, _ statements: Statements) throws(SQLError) {
        let statement = statements.events.insertAction
        typealias Column = ActionColumn
        statement.bind(Column.event, row.event.sequence)
        statement.bind(Column.time, row.event.time.inColumn)
        statement.bind(Column.action, text: row.action)
        statement.bind(Column.subject, text: row.subject)
        statement.bind(Column.requestedBy, text: row.by)
        try statement.run()
    }
}

/// A requested change for one row.
private struct ActionRow {
    /// The first event of the change.
    let event: ClusterEvent
    /// The change, as a word.
    let action: String
    /// Who asked.
    let by: String
    /// The changed operations; nil for a queue, a worker, a schedule or a limit.
    private var operations: (first: OperationID, count: UInt32)?

    /// Describes the change of an event; nil for a change that nobody asked for, and for a submission.
    init?(_ event: ClusterEvent) {
        guard let by = event.by else { return nil }
        self.event = event
        self.by = by
        switch event.subject {
        case .operations(let first, let count, let change):
            operations = (first, count)
            switch change {
            case .cancelled: action = "cancel"
            case .held(let isHeld): action = isHeld ? "hold" : "release"
            case .paused(let isPaused): action = isPaused ? "pause" : "resume"
            case .signalled(let signal): action = "signal \(signal.rawValue)"
            case .priority(let priority): action = "priority \(priority)"
            case .dependencies: action = "dependencies"
            case .commands: action = "commands"
            case .state, .progress: return nil
            }
        case .operationsAdded: action = "add"
        case .jobClosed: action = "close"
        case .queue: action = "queue"
        case .queueDeleted: action = "delete"
        case .workerRequest(_, let request): action = request.word
        case .schedule(_, let news): action = "schedule \(news.word)"
        case .limit(let change): action = change.units.map { "limit \($0)" } ?? "limit removed"
        case .jobSubmitted, .jobFinished, .worker, .clockStepped, .recordIncomplete: return nil
        }
    }

    /// Takes over the operations of a later row if they follow and changed alike.
    mutating func absorb(_ later: ActionRow) -> Bool {
        guard let own = operations, let next = later.operations, own.first.job == next.first.job,
            UInt64(own.first.index) + UInt64(own.count) == next.first.index, action == later.action, by == later.by,
            event.time == later.event.time
        else { return false }
        operations = (own.first, own.count + next.count)
        return true
    }

    /// The changed operations, queue, worker, schedule or limit.
    var subject: String {
        if let operations {
            let last = operations.first.index + (operations.count - 1)
            return operations.count == 1 ? "\(operations.first)" : "\(operations.first)-\(last)"
        }
        switch event.subject {
        case .operationsAdded(let job, let first, let count):
            return count == 1 ? "\(job)/\(first)" : "\(job)/\(first)-\(UInt64(first) + UInt64(count) - 1)"
        case .jobClosed(let job): return "\(job)"
        case .queue(let name, _), .queueDeleted(let name), .workerRequest(let name, _), .schedule(let name, _):
            return name
        case .limit(let change): return change.name
        default: return ""
        }
    }
}
