@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonLogging
import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonZeroMQ

/// The coordinator of a test cluster: the real decisions and the real record, on a disk in memory that is written at once.
final class InProcessCoordinator {
    private let disk = MemoryDisk()
    private var store: SQLStore
    private var recorder: SteppedRecorder
    private var shell: CoordinatorShell
    private var random = SplitMix(seed: 1)
    /// The messages of the present turn, in order.
    private var messages: [(bytes: [UInt8], peer: RoutingID)] = []

    private static var options: CoordinatorOptions {
        var options = CoordinatorOptions(
            store: .file(""),
            version: "test cluster",
            logger: Logger(label: "coordinator", level: .critical, descriptor: -1)
        )
        // What a cluster does for its speed would show in a test, where time stands still between two advances: an operation would
        // stay with a busy worker that it was sent ahead to. Times are exact, so that a test can name them.
        options.configuration = Configuration(sendAhead: .atMost(0), retryJitter: 0)
        return options
    }

    /// Starts a coordinator on an empty record.
    init(endpoint: String, at now: Timestamp) throws(StoreError) {
        store = try SQLStore(on: disk)
        (shell, recorder) = try Self.start(on: store, endpoint: endpoint, random: &random, at: now)
    }

    /// Ends the coordinator, and starts a new coordinator on the same record.
    ///
    /// The time of the stop is on record, as after an orderly stop, so that no wait gets longer.
    func restart(endpoint: String, at now: Timestamp) throws(StoreError) {
        core.commitClock()
        _ = endTurn(at: now)
        store.close()
        store = try SQLStore(on: disk)
        (shell, recorder) = try Self.start(on: store, endpoint: endpoint, random: &random, at: now)
    }

    private static func start(
        on store: SQLStore,
        endpoint: String,
        random: inout SplitMix,
        at now: Timestamp
    ) throws(StoreError) -> (CoordinatorShell, SteppedRecorder) {
        let state = try store.open(as: .random(using: &random))
        let core = CoordinatorCore(options, state: state, endpoint: endpoint, seed: random.next(), at: now)
        let recorder = SteppedRecorder(store)
        return (CoordinatorShell(core, post: recorder.post), recorder)
    }

    private var core: CoordinatorCore { shell.core }

    /// When the next turn is due without other input.
    var nextDeadline: Timestamp { core.nextDeadline }

    /// The violations of the scheduler's invariants; empty unless Baton has a bug.
    var violations: [String] { core.violations }

    /// Handles a message.
    func receive(_ message: ReceivedMessage, from peer: RoutingID, at now: Timestamp) {
        core.receive(message, from: peer, at: now)
    }

    /// Notes that a connection has ended.
    func connectionEnded(_ peer: RoutingID) { core.connectionEnded(peer) }

    /// Ends a turn: carries out what the messages and the time have caused, until nothing is left to do at this moment.
    ///
    /// - Returns: the messages to send, in order.
    func endTurn(at now: Timestamp) -> [(bytes: [UInt8], peer: RoutingID)] {
        var letters: [RecordLetter]
        repeat {
            core.endTurn(at: now, isDrained: true)
            // Nobody has to wait for further changes to share a commit with.
            core.flush()
            shell.carryOutActions(in: self, at: now)
            recorder.takeStep()
            letters = recorder.takeLetters()
            for letter in letters { shell.open(letter, at: now) }
        } while !letters.isEmpty || core.nextDeadline <= now
        defer { messages = [] }
        return messages
    }
}

extension InProcessCoordinator: CoordinatorSurroundings {
    func send(_ bytes: [UInt8], to peer: RoutingID, at now: Timestamp) {
        core.delivered(bytes.count, to: peer)
        messages.append((bytes, peer))
    }

    func handOver(_ page: HistoryPage, to peer: RoutingID) {
        failInvariant("A page was made for a part of the process, of which there is none.")
    }

    func record(_ work: RecorderInbox.Item) { recorder.put(work) }

    func retryRecord() { recorder.retry() }

    // A disk in memory keeps its files in their place.
    func checkRecord() {}
}
