import BatonMemoryDisk
import Dispatch
import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Synchronization
@_spi(Baton) import BatonTestRecords
import Testing

/// A store whose commits wait for the test and fail when the test says so.
private final class GatedStore: ForwardingStore {
    /// The controls and observations of the test, on its own thread.
    final class Controls: Sendable {
        struct State {
            var commits: [[RecordChange]] = []
            var failure: StoreError?
            var misplacement: StoreError?
            var isClosed = false
        }

        let state = Mutex(State())
        /// Raised by each commit as it begins.
        let began = DispatchSemaphore(value: 0)
        /// Lets one commit end, if the store was told to wait in each commit.
        let mayEnd = DispatchSemaphore(value: 0)
        let waits: Bool
        let onTidyUp: @Sendable () -> Void

        init(waits: Bool, onTidyUp: @escaping @Sendable () -> Void = {}) {
            self.waits = waits
            self.onTidyUp = onTidyUp
        }

        var commits: [[RecordChange]] { state.withLock { $0.commits } }

        func fail(with error: StoreError?) { state.withLock { $0.failure = error } }

        func misplace(with error: StoreError?) { state.withLock { $0.misplacement = error } }
    }

    let base: SQLStore
    private let controls: Controls

    init(_ controls: Controls) throws {
        self.controls = controls
        base = try SQLStore(on: MemoryDisk())
    }

    func commit(_ changes: [RecordChange]) throws(StoreError) {
        controls.began.signal()
        if controls.waits { controls.mayEnd.wait() }
        let failure = controls.state.withLock { state in
            if state.failure == nil { state.commits.append(changes) }
            return state.failure
        }
        if let failure { throw failure }
        try base.commit(changes)
    }

    func checkPlace() throws(StoreError) {
        if let error = controls.state.withLock({ $0.misplacement }) { throw error }
    }

    func tidyUp() { controls.onTidyUp() }

    func close() { controls.state.withLock { $0.isClosed = true } }
}

extension Recorder {
    fileprivate func append(
        _ changes: [RecordChange],
        completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        put(.append(changes, completion: completion))
    }

    fileprivate func read<Value: Sendable>(
        toleratingFailure toleratesFailure: Bool = false,
        _ body: @escaping @Sendable (any Store) throws(StoreError) -> Value,
        completion: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
        put(
            .read(
                toleratesFailure: toleratesFailure,
                answer: { store in completion(Result { () throws(StoreError) in try body(store) }) },
                refuse: { completion(.failure($0)) }
            )
        )
    }

    fileprivate func readBeside<Value: Sendable>(
        in line: ReadingLine = .pages,
        _ body: @escaping @Sendable (any RecordReader) throws(StoreError) -> Value,
        completion: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
        put(
            .readBeside(
                in: line,
                answer: { reader in completion(Result { () throws(StoreError) in try body(reader) }) },
                refuse: { completion(.failure($0)) }
            )
        )
    }
}

/// Notes what happens, from any thread, in order.
private final class Journal: Sendable {
    private let entries = Mutex<[String]>([])
    private let changed = DispatchSemaphore(value: 0)

    func note(_ entry: String) {
        entries.withLock { $0.append(entry) }
        changed.signal()
    }

    var all: [String] { entries.withLock { $0 } }

    /// Waits for the given number of entries after the last call.
    func await(_ count: Int) {
        for _ in 0..<count { changed.wait() }
    }
}

@Suite("The recorder", .timeLimit(.minutes(60)))
struct RecorderTests {
    private let journal = Journal()

    private func recorder(_ controls: GatedStore.Controls, limit: Int = 20_000) throws -> Recorder {
        let journal = journal
        return try Recorder(
            store: try GatedStore(controls),
            transactionLimit: limit,
            onFailure: { journal.note("failure: \($0)") },
            onRecovery: { journal.note("recovery") }
        )
    }

    private func change(_ number: Int) -> RecordChange {
        .queue("q\(number)", QueueRecord(settings: QueueSettings(maxConcurrent: number)))
    }

    private func append(_ number: Int, to recorder: Recorder) {
        let journal = journal
        recorder.append([change(number)]) { result in
            switch result {
            case .success: journal.note("kept \(number)")
            case .failure(let error): journal.note("lost \(number): \(error)")
            }
        }
    }

    private func read(_ label: String, from recorder: Recorder, toleratingFailure: Bool = false) {
        let journal = journal
        recorder.read(toleratingFailure: toleratingFailure) { store throws(StoreError) in
            try store.open().queues.count
        } completion: { result in
            switch result {
            case .success(let count): journal.note("\(label) sees \(count)")
            case .failure(let error): journal.note("\(label) refused: \(error)")
            }
        }
    }

    @Test("The recorder puts changes that arrive during a commit into one other commit, and completes them in order")
    func groupsCommits() throws {
        let controls = GatedStore.Controls(waits: true)
        let recorder = try recorder(controls)
        append(0, to: recorder)
        controls.began.wait()
        for number in 1...100 { append(number, to: recorder) }
        controls.mayEnd.signal()
        controls.began.wait()
        journal.await(1)
        #expect(journal.all == ["kept 0"])
        controls.mayEnd.signal()
        recorder.shutDown()
        #expect(controls.commits == [[change(0)], (1...100).map(change)])
        #expect(journal.all == (0...100).map { "kept \($0)" })
    }

    @Test("The recorder tidies up after the completions of a commit and before the next commit")
    func tidiesUp() throws {
        let journal = journal
        let controls = GatedStore.Controls(waits: true, onTidyUp: { journal.note("tidied") })
        let recorder = try recorder(controls)
        append(0, to: recorder)
        controls.began.wait()
        append(1, to: recorder)
        controls.mayEnd.signal()
        controls.mayEnd.signal()
        recorder.shutDown()
        #expect(journal.all.prefix(4) == ["kept 0", "tidied", "kept 1", "tidied"])
    }

    @Test("The recorder limits the changes in a transaction, and never splits an append")
    func boundsTransactions() throws {
        let controls = GatedStore.Controls(waits: true)
        let recorder = try recorder(controls, limit: 4)
        append(0, to: recorder)
        controls.began.wait()
        for number in 1...3 { append(number, to: recorder) }
        recorder.append((10..<20).map(change)) { _ in }
        append(4, to: recorder)
        for _ in 0..<4 { controls.mayEnd.signal() }
        recorder.shutDown()
        #expect(controls.commits.map(\.count) == [1, 3, 10, 1])
    }

    @Test("Events weigh less than other changes against the limit of a transaction")
    func weighsEvents() throws {
        let controls = GatedStore.Controls(waits: true)
        let recorder = try recorder(controls, limit: 2)
        append(0, to: recorder)
        controls.began.wait()
        for number in UInt64(0)..<33 {
            let event = ClusterEvent(sequence: number + 1, time: .at(1), subject: .worker("w", .alive))
            recorder.append([.event(event)]) { _ in }
        }
        append(1, to: recorder)
        append(2, to: recorder)
        for _ in 0..<4 { controls.mayEnd.signal() }
        recorder.shutDown()
        #expect(controls.commits.map(\.count) == [1, 32, 2, 1])
    }

    @Test("A query is answered after the earlier appends are committed, in order with their completions")
    func readsSeeAppends() throws {
        let controls = GatedStore.Controls(waits: true)
        let recorder = try recorder(controls)
        append(0, to: recorder)
        controls.began.wait()
        append(1, to: recorder)
        read("first", from: recorder)
        append(2, to: recorder)
        controls.mayEnd.signal()
        controls.mayEnd.signal()
        recorder.shutDown()
        #expect(journal.all == ["kept 0", "kept 1", "first sees 3", "kept 2"])
    }

    @Test("The recorder passes a query's error to its completion")
    func passesErrorsOn() throws {
        let recorder = try recorder(GatedStore.Controls(waits: false))
        let journal = journal
        recorder.read { _ throws(StoreError) -> Int in
            throw StoreError(.unreadable, "broken")
        } completion: { result in
            if case .failure(let error) = result { journal.note("\(error)") }
        }
        recorder.shutDown()
        #expect(journal.all == ["broken"])
    }

    @Test("The recorder keeps changes and refuses queries while commits fail, and commits in order after the recovery")
    func recovers() throws {
        let controls = GatedStore.Controls(waits: false)
        let recorder = try recorder(controls)
        let full = StoreError(.full, "The disk is full.")
        controls.fail(with: full)
        append(1, to: recorder)
        journal.await(1)
        append(2, to: recorder)
        read("early", from: recorder)
        journal.await(1)
        #expect(journal.all == ["failure: The disk is full.", "early refused: The disk is full."])
        controls.fail(with: StoreError(.notAccessible, "The disk is gone."))
        recorder.retry()
        journal.await(1)
        #expect(journal.all.last == "failure: The disk is gone.")
        #expect(controls.commits.isEmpty)
        controls.fail(with: nil)
        recorder.retry()
        journal.await(3)
        append(3, to: recorder)
        read("late", from: recorder)
        recorder.shutDown()
        #expect(journal.all.suffix(5) == ["recovery", "kept 1", "kept 2", "kept 3", "late sees 3"])
        #expect(controls.commits.flatMap { $0 } == (1...3).map(change))
    }

    @Test("A query that tolerates failures is answered from the committed state while commits fail")
    func answersWhileFailing() throws {
        let controls = GatedStore.Controls(waits: false)
        let recorder = try recorder(controls)
        append(1, to: recorder)
        journal.await(1)
        controls.fail(with: StoreError(.full, "full"))
        append(2, to: recorder)
        journal.await(1)
        read("patient", from: recorder, toleratingFailure: true)
        read("strict", from: recorder)
        journal.await(2)
        controls.fail(with: nil)
        recorder.retry()
        journal.await(2)
        read("late", from: recorder, toleratingFailure: true)
        recorder.shutDown()
        let meanwhile = ["failure: full", "patient sees 1", "strict refused: full"]
        #expect(journal.all == ["kept 1"] + meanwhile + ["recovery", "kept 2", "late sees 2"])
    }

    @Test("The recorder retries a failed commit with the next append")
    func retriesWithAppends() throws {
        let controls = GatedStore.Controls(waits: false)
        let recorder = try recorder(controls)
        controls.fail(with: StoreError(.full, "full"))
        append(1, to: recorder)
        journal.await(1)
        controls.fail(with: nil)
        append(2, to: recorder)
        journal.await(3)
        #expect(journal.all == ["failure: full", "recovery", "kept 1", "kept 2"])
        #expect(controls.commits == [[change(1), change(2)]])
    }

    @Test("A query is answered before another try to store what failed, however long a full disk takes to say so")
    func answersBeforeTries() throws {
        let controls = GatedStore.Controls(waits: true)
        let recorder = try recorder(controls)
        let full = StoreError(.full, "full")
        controls.fail(with: full)
        append(1, to: recorder)
        // The first try lasts while more comes: the loop finds all of it at once, and has to try again.
        controls.began.wait()
        append(2, to: recorder)
        read("patient", from: recorder, toleratingFailure: true)
        read("strict", from: recorder)
        controls.mayEnd.signal()
        // The second try lasts, too: the disk is slow in saying that it is full.
        controls.began.wait()
        #expect(journal.all == ["failure: full", "patient sees 0", "strict refused: full"])
        controls.fail(with: nil)
        for _ in 1...2 { controls.mayEnd.signal() }
        recorder.shutDown()
        #expect(journal.all.suffix(3) == ["recovery", "kept 1", "kept 2"])
    }

    @Test("A look at the record's files that finds them away is a failure, also while nothing is to be stored")
    func looksAtPlace() throws {
        let controls = GatedStore.Controls(waits: false)
        let recorder = try recorder(controls)
        let away = StoreError(.notInPlace, "away")
        controls.misplace(with: away)
        recorder.retry()
        journal.await(1)
        read("patient", from: recorder, toleratingFailure: true)
        read("strict", from: recorder)
        journal.await(2)
        // Told once, until it is over.
        recorder.retry()
        controls.misplace(with: nil)
        recorder.retry()
        journal.await(1)
        append(1, to: recorder)
        recorder.shutDown()
        #expect(
            journal.all == ["failure: away", "patient sees 0", "strict refused: away", "recovery", "kept 1"]
        )
    }

    @Test("The recorder looks at the record's files when it is asked to, also while it has changes to store")
    func looksAtPlaceWhileBusy() throws {
        let controls = GatedStore.Controls(waits: true)
        let recorder = try recorder(controls)
        append(1, to: recorder)
        controls.began.wait()
        // Both come during a commit: the recorder finds them together.
        controls.misplace(with: StoreError(.notInPlace, "away"))
        append(2, to: recorder)
        recorder.retry()
        controls.mayEnd.signal()
        controls.began.wait()
        #expect(journal.all == ["kept 1", "failure: away"])
        controls.mayEnd.signal()
        recorder.shutDown()
        #expect(journal.all == ["kept 1", "failure: away", "recovery", "kept 2"])
    }

    @Test("A question that comes with a look at the record's files does not take what the look has found back")
    func looksAtPlaceBesideQuestion() throws {
        let controls = GatedStore.Controls(waits: true)
        let recorder = try recorder(controls)
        append(1, to: recorder)
        controls.began.wait()
        controls.misplace(with: StoreError(.notInPlace, "away"))
        read("strict", from: recorder)
        recorder.retry()
        controls.mayEnd.signal()
        journal.await(2)
        recorder.shutDown()
        #expect(journal.all == ["kept 1", "failure: away", "strict refused: away"])
    }

    @Test("A shutdown commits all queued changes, and later appends and queries fail as closed")
    func shutsDown() throws {
        let controls = GatedStore.Controls(waits: false)
        let recorder = try recorder(controls)
        for number in 0..<10 { append(number, to: recorder) }
        recorder.shutDown()
        recorder.shutDown()
        #expect(journal.all == (0..<10).map { "kept \($0)" })
        #expect(controls.state.withLock { $0.isClosed })
        append(11, to: recorder)
        read("question", from: recorder)
        #expect(journal.all.suffix(2).allSatisfy { $0.contains("The record is closed") })
        #expect(journal.all.count == 12)
    }

    @Test("A shutdown on a full disk reports each change that is lost")
    func losesNothingInSilence() throws {
        let controls = GatedStore.Controls(waits: false)
        let recorder = try recorder(controls)
        controls.fail(with: StoreError(.full, "full"))
        append(1, to: recorder)
        append(2, to: recorder)
        recorder.shutDown()
        #expect(journal.all.suffix(2) == ["lost 1: full", "lost 2: full"])
        #expect(controls.state.withLock { $0.isClosed })
    }

    @Test("A recorder may be released by a completion on its own thread")
    func endsWithItsOwner() throws {
        let controls = GatedStore.Controls(waits: false)
        let journal = journal
        do {
            let recorder = try recorder(controls)
            recorder.append([change(1)]) { [recorder] _ in journal.note("kept with \(type(of: recorder))") }
        }
        journal.await(1)
        #expect(controls.commits.count == 1)
    }

    /// A recorder of a new record in a file.
    private static func recorder(in directory: TemporaryDirectory) throws -> Recorder {
        let store = try SQLStore(path: directory.file("baton.db"))
        _ = try store.open()
        return try Recorder(store: store, onFailure: { _ in }, onRecovery: {})
    }

    /// Asks for the jobs twice in one question, which goes on until the test ends it, and waits for its beginning.
    ///
    /// - Returns: the gate of the question's end.
    private func holdQuestion(to recorder: Recorder, in line: ReadingLine) -> DispatchSemaphore {
        let journal = journal
        let began = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        recorder.readBeside(in: line) { reader throws(StoreError) in
            let before = try reader.jobs(before: nil, limit: 9).map(\.number.rawValue)
            began.signal()
            mayEnd.wait()
            return (before, try reader.jobs(before: nil, limit: 9).map(\.number.rawValue))
        } completion: { result in
            journal.note("\(line) \(Result { try result.get() })")
        }
        began.wait()
        return mayEnd
    }

    @Test("A question beside the recorder delays no commit, and sees one moment with everything appended before")
    func answersBesideItsCommits() throws {
        let directory = try TemporaryDirectory()
        let recorder = try Self.recorder(in: directory)
        let journal = journal
        recorder.append([.job(JobRecord(1, [Entry(template: 0)]))]) { _ in journal.note("kept 1") }
        let mayEnd = holdQuestion(to: recorder, in: .pages)
        recorder.append([.job(JobRecord(2, [Entry(template: 0)]))]) { _ in journal.note("kept 2") }
        journal.await(2)
        #expect(journal.all == ["kept 1", "kept 2"])
        mayEnd.signal()
        journal.await(1)
        #expect(journal.all.last == "pages success([1], [1])")
        recorder.readBeside { reader throws(StoreError) in
            try reader.jobs(before: nil, limit: 9).map(\.number.rawValue)
        } completion: { result in
            journal.note("\(Result { try result.get() })")
        }
        recorder.shutDown()
        #expect(journal.all.last == "success([2, 1])")
        // The reader was closed first, so that the store could empty the log.
        #expect(!FileManager.default.fileExists(atPath: directory.file("baton.db-wal")))
    }

    // The retry of a large job kept the list of all jobs waiting for 43 s.
    @Test("A question about a page is answered while one about a whole job is in progress, and changes are stored")
    func pageBesideWholeJob() throws {
        let directory = try TemporaryDirectory()
        let recorder = try Self.recorder(in: directory)
        let journal = journal
        recorder.append([.job(JobRecord(1, [Entry(template: 0)]))]) { _ in journal.note("kept 1") }
        let mayEnd = holdQuestion(to: recorder, in: .jobs)
        recorder.append([.job(JobRecord(2, [Entry(template: 0)]))]) { _ in journal.note("kept 2") }
        journal.await(2)
        recorder.readBeside { reader throws(StoreError) in
            try reader.jobs(before: nil, limit: 9).map(\.number.rawValue)
        } completion: { result in
            journal.note("page \(Result { try result.get() })")
        }
        journal.await(1)
        #expect(journal.all == ["kept 1", "kept 2", "page success([2, 1])"])
        mayEnd.signal()
        recorder.shutDown()
        #expect(journal.all.last == "jobs success([1], [1])")
        #expect(!FileManager.default.fileExists(atPath: directory.file("baton.db-wal")))
    }

    @Test("The recorder takes appends from many threads and keeps each thread's order")
    func takesAppendsFromManyThreads() throws {
        let directory = try TemporaryDirectory()
        let recorder = try Self.recorder(in: directory)
        let journal = journal
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<250 {
                let queue = QueueRecord(settings: QueueSettings(maxConcurrent: number))
                recorder.append([.queue("q\(thread)", queue)]) { _ in journal.note("\(thread) \(number)") }
            }
        }
        recorder.shutDown()
        for thread in 0..<4 {
            let own = journal.all.filter { $0.hasPrefix("\(thread) ") }
            #expect(own == (0..<250).map { "\(thread) \($0)" })
        }
        let queues = try SQLStore(path: directory.file("baton.db")).open().queues
        #expect(queues.count == 4 && queues.values.allSatisfy { $0.settings.maxConcurrent == 249 })
    }
}
