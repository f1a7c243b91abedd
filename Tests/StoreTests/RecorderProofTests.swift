import BatonMemoryDisk
import Dispatch
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Synchronization
@_spi(Baton) import BatonTestRecords
import Testing

/// A store that several hosts reach, as far as its recorder notices: it proves itself by commits.
private final class ProvingStore: ForwardingStore {
    /// The controls and observations of the test, on its own thread.
    final class Controls: Sendable {
        struct State {
            /// The commits, whether they succeeded or not.
            var tries = 0
            var commits = 0
            var proofs = 0
            var failure: StoreError?
            /// How many further calls fail; nil for all.
            var failuresLeft: Int?
            var trouble: StoreError?
            var misplacement: StoreError?
            var refusal: StoreError?
            var isClosed = false
        }

        let state = Mutex(State())
        /// Raised by each commit as it begins.
        let tried = DispatchSemaphore(value: 0)

        /// Has calls fail.
        ///
        /// - Parameter count: how many; nil for all from now on.
        func fail(with error: StoreError?, times count: Int? = nil) {
            state.withLock { ($0.failure, $0.failuresLeft) = (error, count) }
        }

        /// Refuses commits alone.
        func refuse(with error: StoreError?) { state.withLock { $0.refusal = error } }

        func misplace(with error: StoreError?) { state.withLock { $0.misplacement = error } }

        /// Has the next call wait for its connection.
        func hamper(with error: StoreError?) { state.withLock { $0.trouble = error } }
    }

    let base: SQLStore
    let proofInterval: Duration?
    var onProof: (@Sendable (Timestamp) -> Void)?
    var onTrouble: (@Sendable (StoreError) -> Void)?
    private let controls: Controls

    init(_ controls: Controls, interval: Duration) throws {
        self.controls = controls
        proofInterval = interval
        base = try SQLStore(on: MemoryDisk())
    }

    func commit(_ changes: [RecordChange]) throws(StoreError) {
        controls.state.withLock { $0.tries += 1 }
        controls.tried.signal()
        try meetTrouble()
        if let refusal = controls.state.withLock({ $0.refusal }) { throw refusal }
        try base.commit(changes)
        let number = controls.state.withLock { state in
            state.commits += 1
            return state.commits
        }
        onProof?(Timestamp(rawValue: Int64(number)))
    }

    func prove() throws(StoreError) {
        try meetTrouble()
        let number = controls.state.withLock { state in
            state.proofs += 1
            return state.proofs
        }
        onProof?(Timestamp(rawValue: -Int64(number)))
    }

    func checkPlace() throws(StoreError) {
        if let error = controls.state.withLock({ $0.misplacement }) { throw error }
    }

    func close() { controls.state.withLock { $0.isClosed = true } }

    private func meetTrouble() throws(StoreError) {
        let (failure, trouble) = controls.state.withLock { state -> (StoreError?, StoreError?) in
            defer { state.trouble = nil }
            if let left = state.failuresLeft {
                guard left > 0 else { return (nil, state.trouble) }
                state.failuresLeft = left - 1
            }
            return (state.failure, state.trouble)
        }
        if let trouble { onTrouble?(trouble) }
        if let failure { throw failure }
    }
}

@Suite("Proofs of the recorder", .timeLimit(.minutes(60)))
struct RecorderProofTests {
    private static let deposed = StoreError.deposed("postgres://h/db", by: 7)
    private static let unreachable = StoreError.unreachable("postgres://h/db", "connection reset")

    private let controls = ProvingStore.Controls()

    /// The work of a recorder, taken by hand; each call of the notes is one entry.
    private func loop(_ inbox: RecorderInbox, _ note: @escaping @Sendable (String) -> Void) throws -> RecorderLoop {
        RecorderLoop(
            store: try ProvingStore(controls, interval: .seconds(3600)),
            inbox: inbox,
            transactionLimit: 1000,
            onFailure: { note("failure \($0.code.rawValue)") },
            onRecovery: { note("recovery") },
            onProof: { note("proof \($0.rawValue)") },
            onDeposed: { note("deposed \($0.message)") }
        )
    }

    private func append(_ number: Int, to inbox: RecorderInbox, _ note: @escaping @Sendable (String) -> Void) -> Bool {
        let change = RecordChange.queue("q\(number)", QueueRecord(settings: QueueSettings(maxConcurrent: number)))
        return inbox.put(
            .append([change]) { result in
                switch result {
                case .success: note("kept \(number)")
                case .failure(let error): note("refused \(number): \(error.code.rawValue)")
                }
            }
        )
    }

    /// Notes what happens, from any thread.
    private final class Journal: Sendable {
        private let entries = Mutex<[String]>([])
        private let changed = DispatchSemaphore(value: 0)

        func note(_ entry: String) {
            entries.withLock { $0.append(entry) }
            changed.signal()
        }

        var all: [String] { entries.withLock { $0 } }

        /// Waits until an entry is there.
        func await(_ entry: String) { while !all.contains(entry) { changed.wait() } }
    }

    @Test("Each commit is told as a proof before its completions", arguments: [1, 3, 20])
    func commits(count: Int) throws {
        let journal = Journal()
        let inbox = RecorderInbox()
        var loop = try loop(inbox) { journal.note($0) }
        var expected: [String] = []
        for number in 1...count {
            #expect(append(number, to: inbox) { journal.note($0) })
            _ = loop.turn(blocking: false)
            expected += ["proof \(number)", "kept \(number)"]
        }
        #expect(journal.all == expected)
        #expect(controls.state.withLock { $0.proofs } == 0, "commits are proof enough")
    }

    @Test("A deposed recorder tells so once, refuses all work, the later one as well, and tries nothing more")
    func deposition() throws {
        let journal = Journal()
        let inbox = RecorderInbox()
        var loop = try loop(inbox) { journal.note($0) }
        controls.fail(with: Self.deposed)
        for number in 1...3 { #expect(append(number, to: inbox) { journal.note($0) }) }
        _ = loop.turn(blocking: false)
        #expect(journal.all == ["deposed \(Self.deposed.message)"])
        #expect(!append(4, to: inbox) { journal.note($0) })
        controls.fail(with: nil)
        inbox.requestRetry()
        while loop.turn(blocking: false) {}
        #expect(!loop.isBusy)
        #expect(Array(journal.all.dropFirst()) == (1...3).map { "refused \($0): deposed" })
        #expect(controls.state.withLock { $0.commits } == 0)
    }

    @Test("A connection that is lost once is made again before anybody is refused", arguments: 1...3)
    func lostOnce(losses: Int) throws {
        let journal = Journal()
        let inbox = RecorderInbox()
        var loop = try loop(inbox) { journal.note($0) }
        controls.fail(with: Self.unreachable, times: losses)
        #expect(append(1, to: inbox) { journal.note($0) })
        _ = loop.turn(blocking: false)
        guard losses > 1 else {
            #expect(journal.all == ["proof 1", "kept 1"])
            return
        }
        #expect(journal.all == ["failure unreachable"])
        #expect(controls.state.withLock { $0.tries } == 2)
        // After a failure, each try is one.
        for number in 2..<losses {
            inbox.requestRetry()
            _ = loop.turn(blocking: false)
            #expect(controls.state.withLock { $0.tries } == number + 1)
        }
        inbox.requestRetry()
        _ = loop.turn(blocking: false)
        #expect(journal.all == ["failure unreachable", "proof 1", "recovery", "kept 1"])
    }

    @Test("Trouble within a call is told at once, and its end after the call")
    func trouble() throws {
        let journal = Journal()
        let inbox = RecorderInbox()
        var loop = try loop(inbox) { journal.note($0) }
        controls.hamper(with: Self.unreachable)
        #expect(append(1, to: inbox) { journal.note($0) })
        _ = loop.turn(blocking: false)
        #expect(journal.all == ["failure unreachable", "proof 1", "recovery", "kept 1"])
        #expect(append(2, to: inbox) { journal.note($0) })
        _ = loop.turn(blocking: false)
        #expect(Array(journal.all.dropFirst(4)) == ["proof 2", "kept 2"])
    }

    @Test("After a failure, a look at the place of the record is no recovery, and a proof is", arguments: [1, 2, 7])
    func looks(count: Int) throws {
        let journal = Journal()
        let inbox = RecorderInbox()
        var loop = try loop(inbox) { journal.note($0) }
        func look() {
            inbox.requestRetry()
            _ = loop.turn(blocking: false)
        }
        look()
        #expect(
            journal.all.isEmpty && controls.state.withLock { $0.proofs } == 0,
            "without a failure, nothing is to be proved"
        )
        controls.misplace(with: Self.unreachable)
        look()
        controls.misplace(with: nil)
        controls.fail(with: Self.unreachable)
        for _ in 1...count { look() }
        #expect(journal.all == ["failure unreachable"])
        controls.fail(with: nil)
        for _ in 1...count { look() }
        #expect(journal.all == ["failure unreachable", "proof -1", "recovery"])
    }

    /// A recorder with a thread.
    private func recorder(_ journal: Journal) throws -> Recorder {
        try Recorder(
            store: try ProvingStore(controls, interval: .milliseconds(1)),
            onFailure: { journal.note("failure \($0.code.rawValue)") },
            onRecovery: { journal.note("recovery") },
            onProof: { journal.note("proof \($0.rawValue)") },
            onDeposed: { journal.note("deposed \($0.message)") }
        )
    }

    @Test("A recorder without work proves itself again and again, also after a failure")
    func idle() throws {
        let journal = Journal()
        let recorder = try recorder(journal)
        journal.await("proof -5")
        controls.fail(with: Self.unreachable)
        journal.await("failure unreachable")
        controls.fail(with: nil)
        journal.await("recovery")
        recorder.shutDown()
        #expect(controls.state.withLock { $0.isClosed })
        #expect(journal.all.filter { $0 == "failure unreachable" }.count == 1)
    }

    @Test("A failed commit is tried again without being asked for, as long as proofs are due")
    func repeats() throws {
        let journal = Journal()
        let recorder = try recorder(journal)
        controls.fail(with: Self.unreachable)
        journal.await("failure unreachable")
        let change = RecordChange.queue("q", QueueRecord(settings: QueueSettings(maxConcurrent: 1)))
        recorder.put(
            .append([change]) { result in
                if case .success = result { journal.note("kept") }
            }
        )
        while controls.state.withLock({ $0.tries }) < 4 { controls.tried.wait() }
        controls.fail(with: nil)
        journal.await("kept")
        recorder.shutDown()
    }

    @Test(
        "A recorder whose commits are refused by a server that answers goes on proving itself",
        arguments: [true, false]
    )
    func provesBesideFailure(isFull: Bool) throws {
        let journal = Journal()
        let recorder = try recorder(journal)
        let code: StoreError.Code = isFull ? .full : .other
        controls.refuse(with: StoreError(code, "The commit is refused."))
        let change = RecordChange.queue("q", QueueRecord(settings: QueueSettings(maxConcurrent: 1)))
        recorder.put(
            .append([change]) { result in
                if case .success = result { journal.note("kept") }
            }
        )
        journal.await("failure \(code.rawValue)")
        let proofs = controls.state.withLock { $0.proofs }
        // The first of these may have begun before the failure.
        journal.await("proof -\(proofs + 3)")
        #expect(!journal.all.contains("recovery") && !journal.all.contains("kept"))
        controls.refuse(with: nil)
        recorder.retry()
        journal.await("kept")
        recorder.shutDown()
        #expect(journal.all.contains("recovery"))
    }

    @Test("A recorder that finds itself deposed while it has no work ends, and refuses what comes later")
    func deposedWhileIdle() throws {
        let journal = Journal()
        let recorder = try recorder(journal)
        controls.fail(with: Self.deposed)
        journal.await("deposed \(Self.deposed.message)")
        recorder.put(
            .append([]) { result in
                if case .failure(let error) = result { journal.note("refused: \(error.code.rawValue)") }
            }
        )
        journal.await("refused: closed")
        recorder.shutDown()
        #expect(controls.state.withLock { $0.isClosed })
        #expect(journal.all.filter { $0.hasPrefix("deposed") }.count == 1)
    }
}
