import BatonOperations

/// What the recorder's thread does: keeps what was appended, in order and in as few transactions as it can, and answers
/// questions in between.
package struct RecorderLoop {
    /// The record; nobody else has it.
    let store: any Store
    /// Where changes and questions come from.
    let inbox: RecorderInbox
    /// How much one transaction may hold, in rows.
    let transactionLimit: Int
    /// Whom to tell that the record cannot be written.
    let onFailure: @Sendable (StoreError) -> Void
    /// Whom to tell that it can be written again.
    let onRecovery: @Sendable () -> Void

    /// What was taken out of the inbox and is not done yet, from `done` on.
    private var backlog: [RecorderInbox.Item] = []
    private var done = 0
    /// Why the first of the backlog could not be kept; nil while all goes well.
    private var failure: StoreError?

    /// Describes the work; ``run()`` does it, or ``turn(blocking:)`` piece by piece.
    package init(
        store: any Store,
        inbox: RecorderInbox,
        transactionLimit: Int,
        onFailure: @escaping @Sendable (StoreError) -> Void,
        onRecovery: @escaping @Sendable () -> Void
    ) {
        self.store = store
        self.inbox = inbox
        self.transactionLimit = transactionLimit
        self.onFailure = onFailure
        self.onRecovery = onRecovery
    }

    /// Works until the inbox is closed, then tries once more to keep what is left, and closes the record.
    mutating func run() {
        while turn(blocking: true) {}
        if let failure {
            for item in backlog[done...] { item.refuse(failure) }
        }
        store.close()
    }

    /// Takes in what has come, and does one transaction's worth of it.
    ///
    /// - Parameter blocking: whether to wait until there is something to do.
    /// - Returns: whether there may be more to do: false once the inbox is closed and nothing is left that can be done.
    package mutating func turn(blocking: Bool) -> Bool {
        var delivery = inbox.take(blocking: blocking && (done == backlog.count || failure != nil))
        let wantsRetry = delivery.wantsRetry || delivery.isClosed || delivery.items.contains { $0.isAppend }
        backlog.append(contentsOf: delivery.items)
        delivery.items = []
        if let failure, !wantsRetry {
            refuseReads(failure)
        } else {
            workOff()
        }
        return !delivery.isClosed || done < backlog.count && failure == nil
    }

    /// Whether it has something to do that it can do.
    package var isBusy: Bool { done < backlog.count && failure == nil }

    /// Does one transaction's worth of the backlog, so that what came in meanwhile can join the next one.
    private mutating func workOff() {
        guard done < backlog.count else { return }
        var end = done
        var changes: [RecordChange] = []
        var weight = 0
        while end < backlog.count {
            if case .append(let more, _) = backlog[end] {
                let moreWeight = more.reduce(0) { $0 + $1.weight }
                let rows = (weight + moreWeight + RecordChange.rowWeight - 1) / RecordChange.rowWeight
                guard changes.isEmpty || rows <= transactionLimit else { break }
                weight += moreWeight
                changes.append(contentsOf: more)
            }
            end += 1
        }
        if !changes.isEmpty {
            do throws(StoreError) {
                try store.commit(changes)
            } catch {
                if failure != error { onFailure(error) }
                failure = error
                refuseReads(error)
                return
            }
        }
        if failure != nil {
            failure = nil
            onRecovery()
        }
        // It may be a large submission, of whose memory those who are told shall find nothing left.
        changes = []
        for position in done..<end { backlog[position].dropChanges() }
        for item in backlog[done..<end] {
            switch item {
            case .append(_, let completion): completion(.success(()))
            case .read(_, let answer, _): answer(store)
            }
        }
        store.tidyUp()
        done = end
        if done == backlog.count {
            backlog.removeAll(keepingCapacity: done <= 1024)
            done = 0
        } else if done > 1024, done > backlog.count / 2 {
            backlog.removeFirst(done)
            done = 0
        }
    }

    /// Answers questions with the error: what was appended before them is not kept, so the answer would not be true.
    ///
    /// Those that do not mind are answered out of what is there.
    private mutating func refuseReads(_ error: StoreError) {
        var appends: [RecorderInbox.Item] = []
        for item in backlog[done...] {
            switch item {
            case .append: appends.append(item)
            case .read(toleratesFailure: true, let answer, _): answer(store)
            case .read(toleratesFailure: false, _, let refuse): refuse(error)
            }
        }
        backlog = appends
        done = 0
    }
}

extension RecorderInbox.Item {
    fileprivate var isAppend: Bool {
        if case .append = self { true } else { false }
    }

    /// Lets go of what was to be kept, now that it is.
    fileprivate mutating func dropChanges() {
        if case .append(_, let completion) = self { self = .append([], completion: completion) }
    }

    /// Says that it will not be done.
    func refuse(_ error: StoreError) {
        switch self {
        case .append(_, let completion): completion(.failure(error))
        case .read(_, _, let refuse): refuse(error)
        }
    }
}

extension RecordChange {
    /// What a small row weighs; an event weighs 1, because many of them share a row.
    fileprivate static let rowWeight = 16

    /// About how much it takes to keep it.
    fileprivate var weight: Int {
        switch self {
        case .job(let job): (1 + job.submission.templates.count + job.submission.entries.count) * Self.rowWeight
        case .output(_, let output):
            (1 + (output.standardOutput.bytes.count + output.standardError.bytes.count + (output.result?.count ?? 0))
                / 512)
                * Self.rowWeight
        case .commands(_, let commands):
            (1 + commands.joined().reduce(0) { $0 + $1.utf8.count } / 512) * Self.rowWeight
        case .operation, .jobFinished, .queue, .dependencies, .hook, .hookDone, .worker, .missingAttempts:
            Self.rowWeight
        case .event, .clock: 1
        }
    }
}
