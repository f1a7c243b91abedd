@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// One process life of a coordinator without sockets and threads, with the real decisions, messages and SQL.
///
/// Measures the costs of the coordinator.
final class MeasuredCoordinator {
    /// A message with the peer that it comes from or goes to.
    typealias Letter = (bytes: [UInt8], peer: RoutingID)

    /// The usage of the coordinator since the last reset.
    var usage = Usage()
    private let core: CoordinatorCore
    private let shell: CoordinatorShell
    private let recorder: SteppedRecorder
    private var sent: [Letter] = []

    /// How long nobody else leads after the end of a coordinator.
    static let lease = CoordinatorOptions.usualLease

    /// The most passes of a turn; a turn that needs more never ends.
    private static let mostPasses = 1_000_000

    private static var options: CoordinatorOptions {
        var options = CoordinatorOptions(
            listen: "",
            store: .file(""),
            version: "capacity",
            logger: Logger(label: "coordinator", level: .critical, descriptor: -1)
        )
        // As with a record on a server: whoever takes over waits for the lease of the earlier leader, and asks workers for proofs.
        options.lease = lease
        options.configuration.leaderLease = lease
        return options
    }

    /// Begins to lead on a record; the usage begins with what that takes.
    init(_ record: ReadRecord, seed: UInt64, at now: Timestamp) {
        let start = ThreadTime.now
        core = CoordinatorCore(Self.options, state: record.state, endpoint: "capacity", seed: seed, at: now)
        recorder = SteppedRecorder(record.store)
        shell = CoordinatorShell(core, post: recorder.post)
        usage.recording = record.time
        usage.deciding = ThreadTime.now - start
    }

    /// When the next turn is due without a message.
    var nextDeadline: Timestamp { core.nextDeadline }

    /// What is wrong with the state of the scheduler; empty unless Baton has a bug.
    var violations: [String] { core.violations }

    /// Takes in messages, decides, commits, and answers: turns of the coordinator's loop and of its recorder, until nothing is left to
    /// do at this moment.
    ///
    /// - Returns: the messages to deliver, in their order.
    func turn(_ letters: [Letter], at now: Timestamp) throws -> [Letter] {
        var start = ThreadTime.now
        core.wokeUp(at: now, expected: now)
        for letter in letters {
            letter.bytes.withUnsafeBytes {
                core.receive(ReceivedMessage(decoding: $0), from: letter.peer, at: now)
            }
            usage.receivedBytes += letter.bytes.count
        }
        usage.received += letters.count
        var passes = 0
        var hasNews = false
        repeat {
            passes += 1
            guard passes < Self.mostPasses else { throw CapacityError("A turn of the coordinator does not end.") }
            core.endTurn(at: now, isDrained: true)
            var recording = Duration.zero
            hasNews = try carryOut(at: now, recording: &recording)
            let end = ThreadTime.now
            let deciding = end - start - recording
            start = end
            usage.deciding += deciding
            usage.recording += recording
            usage.longestTurn = max(usage.longestTurn, deciding)
        } while hasNews || core.nextDeadline <= now
        defer { sent = [] }
        return sent
    }

    /// Carries out the actions so far, and what they lead to.
    ///
    /// - Returns: whether the recorder has told anything.
    private func carryOut(at now: Timestamp, recording: inout Duration) throws -> Bool {
        var hasNews = false
        while true {
            shell.carryOutActions(in: self, at: now)
            let start = ThreadTime.now
            while recorder.takeStep() {}
            recording += ThreadTime.now - start
            let letters = recorder.takeLetters()
            guard !letters.isEmpty else { return hasNews }
            hasNews = true
            for letter in letters {
                if case .failed(let error) = letter { throw error }
                shell.open(letter, at: now)
            }
        }
    }
}

extension MeasuredCoordinator: CoordinatorSurroundings {
    func send(_ bytes: [UInt8], to peer: RoutingID, at now: Timestamp) {
        core.delivered(bytes.count, to: peer)
        usage.sent += 1
        usage.sentBytes += bytes.count
        sent.append((bytes, peer))
    }

    func handOver(_ page: HistoryPage, to peer: RoutingID) {
        preconditionFailure("A page was made for a part of the process, of which there is none.")
    }

    func record(_ work: RecorderInbox.Item) {
        if case .append(let changes, _) = work {
            usage.batches += 1
            usage.changes += changes.count
        }
        recorder.put(work)
    }

    func retryRecord() { recorder.retry() }

    // A disk in memory keeps its files in their place.
    func checkRecord() {}
}
