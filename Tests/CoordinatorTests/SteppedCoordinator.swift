@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A coordinator without threads and sockets, with each step taken by hand.
///
/// The shell and the recorder of the product carry out what the core decides.
final class SteppedCoordinator {
    let core: CoordinatorCore
    /// The present moment.
    var now: Timestamp
    /// The present moment of leases.
    var leaseTime = Timestamp(rawValue: 0)
    /// Called after each message to a peer.
    var onSend: () -> Void = {}
    /// Whether the record gets changes at once; otherwise they wait for ``storeChanges()``.
    var storesChanges = true
    /// Whether the record gets questions at once; otherwise they wait for ``askQuestion()``.
    var asksQuestions = true
    /// Whether peers read their messages at once; otherwise call ``CoordinatorCore/delivered(_:to:)``.
    var isRead = true
    /// The changes of each batch so far, stored or not.
    private(set) var batches: [[RecordChange]] = []
    /// How often the remains of large jobs were to be freed.
    private(set) var freedCount = 0
    /// The changes that wait, with their completions.
    private var changes: [RecorderInbox.Item] = []
    /// The questions that wait.
    private(set) var questions: [RecorderInbox.Item] = []
    private var messages: [(bytes: [UInt8], peer: RoutingID)] = []
    /// How many messages were sent together over connections for files, each time.
    private(set) var together: [Int] = []
    private var hasActed = false
    private let recorder: SteppedRecorder
    let shell: CoordinatorShell

    /// - Parameters:
    ///   - rowsOfPart: how many rows a part of a large job has; all jobs of several rows are large then. Nil for the usual sizes.
    ///   - sentFiles: where the files of submitters are kept.
    ///   - lease: the lease of the leader; nil for a record that one host alone can open.
    init(
        _ store: any Store,
        at now: Timestamp,
        retention: Retention = Retention(),
        configuration: Configuration = Configuration(),
        rowsOfPart: Int? = nil,
        timeZones: TimeZoneSource = .host,
        sentFiles: (any SentFileStore)? = nil,
        lease: LeaderLease? = nil
    ) throws {
        var options = CoordinatorOptions(
            listen: "",
            store: .file(""),
            retention: retention,
            version: "test",
            logger: Logger(label: "coordinator", level: .critical)
        )
        if let rowsOfPart { (options.leastRowsInParts, options.rowsOfPart) = (3, rowsOfPart) }
        options.configuration = configuration
        options.timeZones = timeZones
        options.sentFiles = sentFiles
        options.lease = lease?.length
        self.now = now
        let lead = try (store as? SQLStore)?.followClock(at: now)
        var state = try store.open()
        state.lead = lead
        core = CoordinatorCore(options, state: state, endpoint: "", seed: 1, at: now)
        recorder = SteppedRecorder(store)
        shell = CoordinatorShell(core, lease: lease, post: recorder.post)
    }

    /// Passes a message to the core.
    ///
    /// - Parameter requester: the holder of the sender's key; nil for a coordinator without keys.
    func receive(_ bytes: [UInt8], from peer: RoutingID, by requester: Requester? = nil) {
        bytes.withUnsafeBytes { core.receive(ReceivedMessage(decoding: $0), from: peer, by: requester, at: now) }
    }

    /// Lets a worker with one slot and no types join.
    func join(
        _ name: String,
        _ session: SessionID,
        from peer: RoutingID,
        id: WorkerID = WorkerID(rawValue: 5)
    ) {
        let hello = WorkerHello(
            protocols: .own,
            version: "test",
            name: name,
            session: session,
            slots: 1,
            host: "host",
            processID: 1,
            life: WorkerLife(rawValue: 1),
            sessionNumber: 1,
            attempts: [],
            types: [],
            id: id,
            optionVersion: OperationOption.newestVersion
        )
        receive(WorkerMessage.hello(hello).encoded(), from: peer)
        settle(flushes: true)
    }

    /// Passes a request to the core.
    func ask(_ request: Request, _ number: UInt64, from peer: RoutingID) {
        receive(ClientMessage.request(number, request).encoded(), from: peer)
    }

    /// Ends one turn, and carries out all actions, including the actions of actions.
    ///
    /// - Parameters:
    ///   - flushes: whether changes are not gathered for a common commit.
    ///   - isDrained: whether all messages that have come were passed to the core.
    func endTurn(flushes: Bool = false, isDrained: Bool = true) {
        if shell.silence != nil { core.setSilent(!shell.mayReceive(at: leaseTime), at: now) }
        core.endTurn(at: now, isDrained: isDrained)
        if flushes { core.flush() }
        carryOutActions()
    }

    /// Ends turns until one of them has no actions.
    func settle(flushes: Bool = false) {
        repeat {
            hasActed = false
            endTurn(flushes: flushes)
        } while hasActed
    }

    /// Stores the changes that wait.
    func storeChanges() {
        for change in changes { recorder.put(change) }
        changes = []
        carryOutActions()
    }

    /// Lets the record answer the first question that waits.
    func askQuestion() {
        guard !questions.isEmpty else {
            Issue.record("the record is asked nothing")
            return
        }
        recorder.put(questions.removeFirst())
        carryOutActions()
    }

    /// Tells the core what the recorder would.
    func open(_ letter: RecordLetter) { shell.open(letter, at: now) }

    /// The messages since the last call, in order.
    func takeMessages() -> [(bytes: [UInt8], peer: RoutingID)] {
        defer { messages = [] }
        return messages
    }

    /// The replies among the messages since the last call of ``takeMessages()``, all of which are for clients.
    func takeReplies() throws -> [(peer: RoutingID, reply: Reply)] {
        try takeMessages().compactMap { bytes, peer in
            let message = try bytes.withUnsafeBytes { try ClientReply(decoding: $0) }
            return if case .reply(_, let reply) = message { (peer, reply) } else { nil }
        }
    }

    private func carryOutActions() {
        for error in recorder.carryOutActions(of: shell, in: self, at: now) { Issue.record(error) }
    }
}

extension SteppedCoordinator: CoordinatorSurroundings {
    func send(_ bytes: [UInt8], to peer: RoutingID, at now: Timestamp) {
        hasActed = true
        if isRead { core.delivered(bytes.count, to: peer) }
        messages.append((bytes, peer))
        onSend()
    }

    func sendTogether(_ messages: [[UInt8]], to peer: RoutingID, at now: Timestamp) {
        together.append(messages.count)
        for message in messages { send(message, to: peer, at: now) }
    }

    func handOver(_ page: HistoryPage, to peer: RoutingID) { hasActed = true }

    func record(_ work: RecorderInbox.Item) {
        hasActed = true
        switch work {
        case .append(let changes, _):
            batches.append(changes)
            if storesChanges { recorder.put(work) } else { self.changes.append(work) }
        case .read, .readBeside:
            if asksQuestions { recorder.put(work) } else { questions.append(work) }
        }
    }

    func retryRecord() { hasActed = true }

    func checkRecord() {}

    func free(_ remains: Remains) {
        freedCount += 1
        remains.free()
    }
}
