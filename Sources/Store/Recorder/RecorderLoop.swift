@_spi(Baton) import BatonInvariants
@_spi(Baton) package import BatonOperations
import Synchronization

/// The work of the recorder's thread: stores changes and answers questions in between.
///
/// Changes are stored in order and in as few transactions as possible.
package struct RecorderLoop {
    /// The record, used by no other code.
    let store: any Store
    /// Answer the questions that need not be answered here.
    let readers: ReaderThreads
    /// The source of changes and questions.
    let inbox: RecorderInbox
    /// The most rows of one transaction.
    let transactionLimit: Int
    /// Called when the record cannot be written.
    let onFailure: @Sendable (StoreError) -> Void
    /// Called when the record can be written again.
    let onRecovery: @Sendable () -> Void
    /// Called when another coordinator leads on the record.
    let onDeposed: (@Sendable (StoreError) -> Void)?

    /// The items taken out of the inbox; the items from `done` on are still to be done.
    private var backlog: [RecorderInbox.Item] = []
    private var done = 0
    /// Why the first item of the backlog could not be stored; nil without a failure.
    private var failure: StoreError?
    /// The proofs that the store needs; nil for a store that needs none.
    private var proofs: Proofs?

    /// When the store has to prove that it may still write.
    private struct Proofs {
        /// The longest time between two proofs.
        let interval: Duration
        /// When the next one is due.
        var due: ContinuousClock.Instant
        /// Whether the store has told of trouble within a call.
        let trouble = TroubleMark()
    }

    /// Set by the store, within a call, on the thread of the call.
    private final class TroubleMark: Sendable {
        private let isSet = Atomic(false)

        func set() { isSet.store(true, ordering: .relaxed) }

        func take() -> Bool { isSet.exchange(false, ordering: .relaxed) }
    }

    /// Prepares the work; ``run()`` does all of it, and ``turn(blocking:)`` a part.
    package init(
        store: any Store,
        inbox: RecorderInbox,
        transactionLimit: Int,
        onFailure: @escaping @Sendable (StoreError) -> Void,
        onRecovery: @escaping @Sendable () -> Void,
        onProof: (@Sendable (Timestamp) -> Void)? = nil,
        onDeposed: (@Sendable (StoreError) -> Void)? = nil
    ) {
        self.init(
            store: store,
            readers: ReaderThreads(pages: nil, jobs: nil),
            inbox: inbox,
            transactionLimit: transactionLimit,
            onFailure: onFailure,
            onRecovery: onRecovery,
            onProof: onProof,
            onDeposed: onDeposed
        )
    }

    /// Prepares the work, with threads for questions.
    init(
        store: any Store,
        readers: ReaderThreads,
        inbox: RecorderInbox,
        transactionLimit: Int,
        onFailure: @escaping @Sendable (StoreError) -> Void,
        onRecovery: @escaping @Sendable () -> Void,
        onProof: (@Sendable (Timestamp) -> Void)?,
        onDeposed: (@Sendable (StoreError) -> Void)?
    ) {
        self.store = store
        self.readers = readers
        self.inbox = inbox
        self.transactionLimit = transactionLimit
        self.onFailure = onFailure
        self.onRecovery = onRecovery
        self.onDeposed = onDeposed
        store.onProof = onProof
        guard let interval = store.proofInterval else { return }
        let proofs = Proofs(interval: interval, due: ContinuousClock.now + interval)
        self.proofs = proofs
        store.onTrouble = { [trouble = proofs.trouble] error in
            trouble.set()
            onFailure(error)
        }
    }

    /// Works until the inbox is closed, then tries once more to store the remaining changes, and closes the record.
    mutating func run() {
        while turn(blocking: true) {}
        if let failure {
            for item in backlog[done...] { item.refuse(failure) }
        }
        // The last connection to a record empties the log on closing, which a reader cannot do.
        readers.shutDown()
        store.close()
    }

    /// Takes the new items, and does the work of one transaction.
    ///
    /// - Parameter blocking: whether to wait for work.
    /// - Returns: whether there may be more work: false once the inbox is closed and no remaining work can be done.
    package mutating func turn(blocking: Bool) -> Bool {
        var delivery = inbox.take(
            blocking: blocking && (done == backlog.count || failure != nil),
            atMost: proofs.map { max(.zero, $0.due - ContinuousClock.now) }
        )
        let wantsRetry = delivery.wantsRetry || delivery.isClosed || delivery.items.contains { $0.isAppend }
        invariant(done <= backlog.count, "More items of the recorder are done than it has.")
        backlog.append(contentsOf: delivery.items)
        delivery.items = []
        if isDeposed {
            refuseAll()
            return !delivery.isClosed
        }
        let isLookDue = delivery.wantsRetry && !delivery.isClosed
        let hadFailed = failure != nil
        // A commit looks at less than this: neither at the tally nor at what the index of the log belongs to.
        if isLookDue, !hadFailed { lookAtPlace() }
        // A try may take as long as the disk likes, and fails perhaps: no question waits for it.
        if let failure { refuseReads(failure) }
        if done < backlog.count {
            if failure == nil || wantsRetry { workOff() }
        } else if isLookDue, hadFailed {
            lookAtPlace()
        }
        // Without a thread, time does not pass here.
        if blocking { proveIfDue() }
        return !delivery.isClosed || done < backlog.count && failure == nil
    }

    /// Whether work can be done now.
    package var isBusy: Bool { done < backlog.count && failure == nil }

    /// Looks whether the record's files are in their place.
    ///
    /// A store on a server has no files on this host. After a failure, such a store is writable again once a proof has succeeded.
    private mutating func lookAtPlace() {
        do throws(StoreError) {
            try store.checkPlace()
            if failure != nil, let interval = proofs?.interval {
                proofs?.due = ContinuousClock.now + interval
                try store.prove()
            }
            noteRecovery()
        } catch {
            noteFailure(error)
        }
    }

    /// Proves that the store may still write, unless a commit did lately; a failed commit is tried again instead.
    private mutating func proveIfDue() {
        guard let proofs, proofs.due <= ContinuousClock.now, !isDeposed else { return }
        self.proofs?.due = ContinuousClock.now + proofs.interval
        guard done == backlog.count else {
            // Without room, each try takes as long as the little room lasts: those are enough that somebody asks for.
            if failure?.code != .full { workOff() }
            proveBesideFailure()
            return
        }
        do throws(StoreError) {
            try again { store throws(StoreError) in try store.prove() }
            noteRecovery()
        } catch {
            noteFailure(error)
        }
    }

    /// Does something once more if the connection was lost meanwhile: a server that has ended a session takes the next one.
    ///
    /// - Throws: the error of the second try, or of the first one after a failure.
    private func again(_ body: (any Store) throws(StoreError) -> Void) throws(StoreError) {
        do throws(StoreError) {
            try body(store)
        } catch {
            guard error.code == .unreachable, failure == nil else { throw error }
            try body(store)
        }
    }

    /// Proves that no other coordinator leads while the server answers but refuses commits, for example because its disk is full.
    ///
    /// The coordinator has to tell its peers that the record cannot be written, and only a leader with a proof may tell them anything.
    private mutating func proveBesideFailure() {
        guard let failure, failure.code != .unreachable, !isDeposed else { return }
        do throws(StoreError) {
            try store.prove()
        } catch {
            // The reason for the refusal stays as long as the server answers.
            if error.code == .deposed || error.code == .unreachable { noteFailure(error) }
        }
    }

    /// Whether another coordinator leads on the record: nothing is tried any more.
    private var isDeposed: Bool { failure?.code == .deposed }

    private mutating func noteFailure(_ error: StoreError) {
        defer { failure = error }
        guard error.code == .deposed else {
            if failure != error { onFailure(error) }
            return
        }
        inbox.close()
        onDeposed?(error)
    }

    private mutating func noteRecovery() {
        let wasInTrouble = proofs?.trouble.take() ?? false
        guard failure != nil || wasInTrouble else { return }
        failure = nil
        onRecovery()
    }

    /// Does the work of one transaction, so that items added meanwhile can join the next transaction.
    private mutating func workOff() {
        var end = done
        var changes: [RecordChange] = []
        var weight = 0
        var clockOffset: Int64?
        while end < backlog.count {
            if case .append(let more, _) = backlog[end] {
                // The times of a transaction have one relation to the record's clock.
                let offset = more.last?.clockOffset
                guard changes.isEmpty || offset == nil || clockOffset == nil || offset == clockOffset else { break }
                clockOffset = offset ?? clockOffset
                let moreWeight = more.reduce(0) { $0 + $1.weight }
                let rows = (weight + moreWeight + RecordChange.rowWeight - 1) / RecordChange.rowWeight
                guard changes.isEmpty || rows <= transactionLimit else { break }
                weight += moreWeight
                changes.append(contentsOf: more)
            }
            end += 1
        }
        invariant(end > done, "A transaction takes no item, and items wait.")
        if !changes.isEmpty {
            let due = proofs?.due
            do throws(StoreError) {
                // From before the commit, as the proof counts.
                if let interval = proofs?.interval { proofs?.due = ContinuousClock.now + interval }
                try again { store throws(StoreError) in try store.commit(changes) }
            } catch {
                noteFailure(error)
                // A server that has refused a commit has to be asked for a proof.
                if error.code != .unreachable, let due { proofs?.due = due }
                refuseReads(error)
                return
            }
        }
        noteRecovery()
        // Frees the changes, possibly a large submission, before the completions run.
        changes = []
        for position in done..<end { backlog[position].dropChanges() }
        for item in backlog[done..<end] {
            switch item {
            case .append(_, let completion): completion(.success(()))
            case .read(_, let answer, _): answer(store)
            case .readBeside(let line, let answer, _): answerBeside(answer, in: line)
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

    /// Refuses all work: another coordinator does it now.
    private mutating func refuseAll() {
        guard let failure else { return }
        for item in backlog[done...] { item.refuse(failure) }
        backlog = []
        done = 0
    }

    /// Answers questions with the error: the changes appended before are not stored, so the answers would be false.
    ///
    /// Questions that tolerate the failure are answered from the data on disk.
    private mutating func refuseReads(_ error: StoreError) {
        var appends: [RecorderInbox.Item] = []
        for item in backlog[done...] {
            switch item {
            case .append: appends.append(item)
            case .read(toleratesFailure: true, let answer, _): answer(store)
            case .read(toleratesFailure: false, _, let refuse), .readBeside(_, _, let refuse): refuse(error)
            }
        }
        invariant(failure != nil, "Questions are refused, and the record can be written.")
        backlog = appends
        done = 0
    }

    /// Passes a question on, whose time has come: the changes appended before are on disk.
    private func answerBeside(_ answer: @escaping @Sendable (any RecordReader) -> Void, in line: ReadingLine) {
        if let reader = readers[line] { reader.ask(answer) } else { answer(store) }
    }
}

extension RecorderInbox.Item {
    fileprivate var isAppend: Bool {
        if case .append = self { true } else { false }
    }

    /// Releases the changes after their commit.
    fileprivate mutating func dropChanges() {
        if case .append(_, let completion) = self { self = .append([], completion: completion) }
    }

    /// Reports an error instead of doing the work.
    func refuse(_ error: StoreError) {
        switch self {
        case .append(_, let completion): completion(.failure(error))
        case .read(_, _, let refuse), .readBeside(_, _, let refuse): refuse(error)
        }
    }
}

extension RecordChange {
    /// The weight of a small row; an event weighs 1, because many events share a row.
    fileprivate static let rowWeight = 16

    /// The approximate cost of storing the change.
    fileprivate var weight: Int {
        switch self {
        case .job(let job): (1 + job.submission.templates.count + job.submission.entries.count) * Self.rowWeight
        case .addition(let addition):
            (2 + addition.submission.templates.count + addition.submission.entries.count) * Self.rowWeight
        case .output(_, let output):
            (1 + (output.standardOutput.bytes.count + output.standardError.bytes.count + (output.result?.count ?? 0))
                / 512)
                * Self.rowWeight
        case .files(_, _, let files): (1 + files.count) * Self.rowWeight
        // The length is not known here, and is seldom that of a large result.
        case .result: 8 * Self.rowWeight
        case .commands(_, let commands):
            (1 + commands.joined().reduce(0) { $0 + $1.utf8.count } / 512) * Self.rowWeight
        case .operation, .attempt, .fetch, .jobClosed, .jobFinished, .queue, .queueDeleted, .dependencies, .hook,
            .hookDone,
            .worker,
            .drain, .pause, .scheduleState,
            .missingAttempts, .limit:
            Self.rowWeight
        case .schedule(_, let schedule): (1 + (schedule?.request.count ?? 0) / 512) * Self.rowWeight
        case .totals(let totals): (1 + totals.queues.count) * Self.rowWeight
        case .event, .clock: 1
        }
    }
}
