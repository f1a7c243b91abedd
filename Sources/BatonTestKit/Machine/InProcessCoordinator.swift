@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonZeroMQ

/// The coordinator of a test cluster: the real decisions, on a record in memory that is always written at once.
final class InProcessCoordinator {
    private let store = InMemoryStore()
    private var core: CoordinatorCore
    private var random = SplitMix(seed: 1)

    private static var options: CoordinatorOptions {
        var options = CoordinatorOptions(
            storePath: "",
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
        core = try Self.core(on: store, endpoint: endpoint, random: &random, at: now)
    }

    /// Ends the coordinator, and starts a new coordinator on the same record.
    ///
    /// The time of the stop is on record, as after an orderly stop, so that no wait gets longer.
    func restart(endpoint: String, at now: Timestamp) throws(StoreError) {
        core.commitClock()
        _ = endTurn(at: now)
        store.close()
        core = try Self.core(on: store, endpoint: endpoint, random: &random, at: now)
    }

    private static func core(
        on store: InMemoryStore,
        endpoint: String,
        random: inout SplitMix,
        at now: Timestamp
    ) throws(StoreError) -> CoordinatorCore {
        let state = try store.open(as: .random(using: &random))
        return CoordinatorCore(options, state: state, endpoint: endpoint, seed: random.next(), at: now)
    }

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
        var messages: [(bytes: [UInt8], peer: RoutingID)] = []
        var actions: [CoordinatorCore.Action]
        repeat {
            core.endTurn(at: now, isDrained: true)
            // Nobody has to wait for further changes to share a commit with.
            core.flush()
            actions = core.takeActions()
            for action in actions {
                switch action {
                case .send(let bytes, let peer):
                    core.delivered(bytes.count, to: peer)
                    messages.append((bytes, peer))
                case .commit(let changes, let batch):
                    do throws(StoreError) {
                        try store.commit(changes)
                        core.committed(batch, at: now)
                    } catch {
                        core.recordFailed(error, at: now)
                    }
                case .ask(let question):
                    core.receive(question.outcome(of: .success(question.answer(store))), at: now)
                case .handOver:
                    failInvariant("A page was made for a part of the process, of which there is none.")
                case .retryRecord:
                    // A record in memory cannot be full.
                    break
                }
            }
        } while !actions.isEmpty || core.nextDeadline <= now
        return messages
    }
}
