import BatonMemoryDisk
import Dispatch
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Synchronization
@_spi(Baton) import BatonTestRecords
import Testing

/// A store whose calls wait for a lost server, until somebody interrupts them.
private final class WaitingStore: ForwardingStore {
    /// What the test and the thread of the recorder share.
    final class Server: Sendable {
        /// Raised by each commit as it begins.
        let asked = DispatchSemaphore(value: 0)
        private let given = DispatchSemaphore(value: 0)
        private let isInterrupted = Mutex(false)

        /// Waits for the interrupt.
        func wait() {
            if !isInterrupted.withLock({ $0 }) { given.wait() }
        }

        func interrupt() {
            isInterrupted.withLock { $0 = true }
            given.signal()
        }
    }

    static let error = StoreError.unreachable("postgres://h/db", "connection reset")

    let base: SQLStore
    private let server: Server

    init(_ server: Server) throws {
        self.server = server
        base = try SQLStore(on: MemoryDisk())
    }

    func commit(_ changes: [RecordChange]) throws(StoreError) {
        server.asked.signal()
        server.wait()
        throw Self.error
    }

    func close() { base.close() }

    func makeInterrupt() -> (@Sendable () -> Void)? {
        let server = server
        return { server.interrupt() }
    }
}

/// What became of changes, from the thread of the recorder.
private final class Ends: Sendable {
    private let errors = Mutex<[StoreError?]>([])

    var all: [StoreError?] { errors.withLock { $0 } }

    func add(_ result: Result<Void, StoreError>) {
        var error: StoreError?
        if case .failure(let reason) = result { error = reason }
        errors.withLock { [error] in $0.append(error) }
    }
}

@Suite("Interrupts of the recorder", .timeLimit(.minutes(60)))
struct RecorderInterruptTests {
    @Test("A recorder that waits for a lost server shuts down at once, and tells the changes whose fate is not known")
    func shutDown() throws {
        let server = WaitingStore.Server()
        let ends = Ends()
        let recorder = try Recorder(store: try WaitingStore(server), onFailure: { _ in }, onRecovery: {})
        for number in 1...3 {
            let record = QueueRecord(settings: QueueSettings(maxConcurrent: number))
            recorder.put(.append([.queue("q\(number)", record)]) { ends.add($0) })
        }
        // The first call waits by now.
        server.asked.wait()
        recorder.shutDown()
        #expect(ends.all == Array(repeating: WaitingStore.error, count: 3))
    }
}
