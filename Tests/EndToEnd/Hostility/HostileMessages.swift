@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Makes hostile messages: random bytes, and messages of all kinds with changed bytes.
///
/// A seed always makes the same messages.
struct HostileMessages {
    /// One message to send.
    enum Shot {
        case message([UInt8])
        /// A message of a wrong number of frames.
        case frames([[UInt8]])
    }

    private var random: SplitMix
    private let valid = Self.validMessages

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
    }

    /// The next messages to send, in order.
    mutating func next() -> [Shot] {
        let message = valid[below(valid.count)]
        switch below(16) {
        case 0: return [.message(noise(below(200)))]
        case 1: return [.frames((0..<2 + below(3)).map { _ in message })]
        case 2: return [.message([])]
        case 3...4: return shots(Array(message.prefix(below(message.count + 1))))
        case 5...6: return shots(withHugeCount(message))
        case 7: return shots(message + noise(1 + below(40)))
        case 8...10: return shots(message)
        default: return shots(changed(message))
        }
    }

    /// A message, followed by a goodbye if the message registers a worker.
    ///
    /// Otherwise the coordinator could dispatch operations of other clients to the worker, and would recover the
    /// operations only after the worker is lost.
    private func shots(_ message: [UInt8]) -> [Shot] {
        guard case .worker(.hello(let hello)) = try? message.withUnsafeBytes({ try Incoming(decoding: $0) }) else {
            return [.message(message)]
        }
        return [.message(message), .message(WorkerMessage.goodbye(hello.session).encoded())]
    }

    private mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    private mutating func noise(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(below(256)) } }

    private mutating func changed(_ message: [UInt8]) -> [UInt8] {
        var message = message
        for _ in 0..<1 + below(3) {
            // The first two bytes are the kind of the message: a change of later bytes reaches deeper into the decoder.
            message[min(2 + below(message.count), message.count - 1)] = UInt8(below(256))
        }
        return message
    }

    /// Sets four bytes somewhere in a message, perhaps a count, to the largest number.
    private mutating func withHugeCount(_ message: [UInt8]) -> [UInt8] {
        var message = message
        let start = 2 + below(message.count)
        for position in start..<start + 4 where position < message.count { message[position] = 0xff }
        return message
    }

    // MARK: What is tampered with

    /// Messages of all kinds, including the kinds that only a coordinator sends.
    ///
    /// No job has the job numbers in the messages, even after a change of one byte: a client may cancel another
    /// client's job without a fault. For the same reason no worker has the session ids.
    private static var validMessages: [[UInt8]] {
        let session = SessionID(rawValue: 0x5E55_1011_5E55_1011)
        let token = AttemptToken(epoch: 1, serial: 1)
        let operation = OperationID(job: JobNumber(0x7f7f_7f7f), index: 0)
        let completion = Completion(token: token, operation: operation, result: AttemptResult(end: .exited(0)))
        func hello(_ name: String, _ protocols: ProtocolRange = .own) -> WorkerMessage {
            .hello(
                WorkerHello(
                    protocols: protocols,
                    version: "test",
                    name: name,
                    session: session,
                    slots: 4,
                    host: "host",
                    processID: 1,
                    life: WorkerLife(rawValue: 1),
                    sessionNumber: 1,
                    attempts: [ClaimedAttempt(token: token, operation: operation, attempt: 1)]
                )
            )
        }
        let fromWorkers: [WorkerMessage] = [
            hello("victim"), hello("other"), hello("no name"),
            hello("victim", ProtocolRange(oldest: 900, newest: 901)),
            .inquire(LeaderInquiry(version: "test")),
            .heartbeat(session, number: 7),
            .report(
                session,
                AttemptReport(started: [AttemptStart(token, age: .max)], returned: [token], completions: [completion])
            ),
            .report(session, AttemptReport()),
            .fetchInputs(session, token, operation), .fetchTypedInputs(session, token, operation),
            .progress(session, [AttemptProgress(token, OperationProgress(fraction: 2, message: "x"))]),
            .fetchProgress(session, [AttemptFetch(token, present: .max)]),
            .directBytes(session, .max),
            .output(request: 4, OutputChunk(offset: 0, bytes: [1, 2, 3], totalLength: 3, isComplete: true)),
            .distance(session, roundTrip: 0), .distance(session, roundTrip: .max), .leaving(session), .goodbye(session),
        ]
        let fromCoordinators: [CoordinatorMessage] = [
            .sayHello, .challenge(1), .heartbeat(number: 1), .acknowledge([token]), .cancel([token]), .recall([token]),
            .inputs(token, [Input(name: "a", bytes: [1])], isLast: true),
            .typedInputs(token, first: 3, [TypedInput(operation: operation, outcome: .failed)], isLast: true),
            .refused(Refusal(.invalid, "No.")), .leadership(Leadership(isLeading: true, leader: "tcp://h:1")),
        ]
        let replies: [ClientReply] = [
            .reply(1, .job(operation.job, operations: 1, isNew: true)), .reply(2, .document([1, 2, 3])),
            .reply(3, .refused(Refusal(.invalid, "No."))), .refused(Refusal(.invalid, "No.")),
            .leadership(Leadership(isLeading: false)),
        ]
        let requests = requests(about: operation).enumerated().map { number, request in
            ClientMessage.request(UInt64(number), request).encoded()
        }
        return fromWorkers.map { $0.encoded() } + fromCoordinators.map { $0.encoded() }
            + replies.map { $0.encoded() } + requests
            + [
                ClientMessage.hello(.own, version: "test").encoded(),
                ClientMessage.hello(ProtocolRange(oldest: 0, newest: 0), version: "test").encoded(),
            ]
    }

    private static func requests(about operation: OperationID) -> [Request] {
        let address = Address.operation(operation)
        let job = Address.job(operation.job)
        let named = Address.named(operation.job, "name")
        let nothing = Template(work: Work(.noOperation))
        let graph = Submission(
            queueNames: ["hostile"],
            templates: [nothing],
            entries: [Entry(), Entry(dependencies: [Dependency(on: .entry(0), condition: .success)])]
        )
        var keyed = graph
        keyed.key = "key"
        var unknown = graph
        unknown.entries[1].dependencies = [Dependency(on: .existing(address), condition: .success)]
        var array = graph
        array.entries[0].array = .lines(["a", "b"])
        let changes: [Request] = [
            .submit(graph), .submit(keyed), .submit(unknown), .submit(array),
            .cancel([address, job, named], queue: nil), .cancel([], queue: "hostile"),
            .hold([address]), .release([job]), .setPriority([named], .veryHigh),
            .depend(address, [ExistingDependency(on: job, condition: .success)]), .undepend(address, [named]),
            .addCommand(address, ["true"]), .addCommand(named, []),
            .retry(operation.job, key: "again"),
            .reportProgress(operation, attempt: 1, OperationProgress(millionths: 1, message: "x")),
            .setQueue(QueueChange(name: "hostile", maxConcurrent: .atMost(2))),
        ]
        let questions: [Request] = [
            .wait([job], queue: nil, atMost: .seconds(60), waiter: nil),
            .wait([], queue: "hostile", atMost: .seconds(60), waiter: operation),
            .watch(since: nil, limit: 10, atMost: .seconds(60)),
            .watch(since: 0, limit: 10, atMost: .zero, of: EventSelection(operations: [operation], queues: ["q"])),
            .watch(since: 0, limit: 10, atMost: .zero),
            .log(address, attempt: 1, .standardOutput, offset: 0, limit: 100), .result(named),
            .outputs(OutputSelection(job: operation.job, operations: [0..<5, 7..<UInt32.max], lines: 3)),
            .history(HistorySelection(job: operation.job, from: 1, limit: .max)),
        ]
        let documents: [DocumentRequest] = [
            .job(operation.job, from: 0, limit: 5), .operation(address), .explain(named), .jobs(before: nil, limit: 2),
            .queue("hostile"), .queues, .workers, .status, .allWorkers, .worker("hostile"),
            .standstill([address, job], queue: "hostile"), .overview(jobs: .max), .waiting(operation.job),
        ]
        return changes + questions + documents.map(Request.document)
    }
}
