@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonWire

@Suite("Round trips of messages", .timeLimit(.minutes(60)))
struct RoundTripTests {
    @Test("Every message is decoded as it was encoded", arguments: 0..<100 as Range<UInt64>)
    func everyMessageDecodedWas(seed: UInt64) {
        for presence in RandomMessages.Presence.allCases {
            var random = RandomMessages(seed: seed, presence: presence)
            for message in random.all() {
                let bytes = message.encoded()
                #expect(message.decoded(from: bytes) == .success(message))
                #expect(message.encoded() == bytes, "equal messages have equal bytes")
            }
        }
    }

    @Test(
        "The coordinator's port accepts messages of workers and clients, and refuses all others",
        arguments: 0..<20 as Range<UInt64>
    )
    func coordinatorSPortAccepts(seed: UInt64) throws {
        var random = RandomMessages(seed: seed)
        for message in random.all() {
            switch message {
            case .worker(let message): #expect(try incoming(message.encoded()) == .worker(message))
            case .client(let message): #expect(try incoming(message.encoded()) == .client(message))
            case .coordinator, .reply, .piece, .direct, .bundle:
                #expect(throws: WireError.self) { try incoming(message.encoded()) }
            }
        }
    }

    @Test("A message of one family is refused by the decoders of the others")
    func messageOneFamilyRefused() {
        var random = RandomMessages(seed: 1)
        let all = random.all()
        let families: [AnyMessage] = [
            .worker(.heartbeat(SessionID(rawValue: 1), number: 7)), .coordinator(.heartbeat(number: 7)),
            .client(.request(1, .document(.status))),
            .reply(.reply(1, .document([]))), .piece(PassedPiece(number: 1, echo: 2, piece: nil)),
            .direct(
                DirectRequest(
                    number: 1,
                    ticket: .random(),
                    digest: SampleDigests.digest(1),
                    offset: 0,
                    limit: 1
                )
            ),
            .bundle([[1], [2]]),
        ]
        for message in all {
            let accepted = families.filter { (try? $0.decoded(from: message.encoded()).get()) != nil }
            #expect(accepted.count == 1)
        }
    }

    @Test("The random messages cover all types of messages")
    func randomMessagesCoverAll() {
        var random = RandomMessages(seed: 1)
        #expect(Set(random.all().map { $0.encoded()[1] }) == Set(MessageType.allCases.map(\.rawValue)))
    }

    @Test("A work that many operations share is sent once")
    func workManyOperationsShare() throws {
        let work = Work(.commands([["convert", String(repeating: "x", count: 1000)]]))
        let items = (0..<1000 as Range<UInt32>).map {
            let token = AttemptToken(epoch: 1, serial: UInt64($0) + 1)
            let operation = OperationID(job: JobNumber(1), index: $0)
            return DispatchBatch.Item(Assignment(token: token, operation: operation, attempt: 1), work: 0, queue: 0)
        }
        let message = CoordinatorMessage.dispatch(DispatchBatch(works: [work], queues: ["default"], items: items))
        let bytes = message.encoded()
        #expect(bytes.count < 1100 + 33 * items.count)
        #expect(AnyMessage.coordinator(message).decoded(from: bytes) == .success(.coordinator(message)))
    }

    @Test("A duration is sent in whole microseconds")
    func durationSentWholeMicroseconds() {
        let sent = AnyMessage.client(.request(1, .wait([], queue: nil, atMost: .nanoseconds(1_999), waiter: nil)))
        let received = AnyMessage.client(.request(1, .wait([], queue: nil, atMost: .microseconds(1), waiter: nil)))
        #expect(sent.decoded(from: sent.encoded()) == .success(received))
    }

    @Test("The smallest value of each type has the declared minimum length")
    func smallestValueEachType() {
        func length<Value: WireCodable>(_ value: Value) -> Int {
            var writer = ByteWriter()
            writer.value(value)
            return writer.bytes.count
        }
        func check<Value: WireCodable>(_ smallest: Value, _ location: SourceLocation = #_sourceLocation) {
            #expect(length(smallest) == Value.minimumLength, sourceLocation: location)
            #expect(Value.minimumLength >= 1, sourceLocation: location)
        }
        let job = JobNumber(0)
        let id = OperationID(job: job, index: 0)
        let token = AttemptToken(rawValue: 0)
        let session = SessionID(rawValue: 0)
        let work = Work(.noOperation)
        let result = AttemptResult(end: .timedOut)
        check(job)
        check(id)
        check(token)
        check(session)
        check(Address.job(job))
        check(Duration.zero)
        check(Priority.normal)
        check(QualityOfService.default)
        check(OutputStream.standardError)
        check(work)
        check(Template(work: work))
        check(ArrayValues.lines([]))
        check(ArrayValues.Element(number: 0, item: ""))
        check(Dependency(on: .entry(0)))
        check(Entry())
        check(QueueChange(name: ""))
        check(QueueChange.Limit.unlimited)
        check(Submission(queueNames: [], templates: [], entries: []))
        check(AttemptEnd.timedOut)
        check(OutputTail())
        check(result)
        check(OutputChunk(offset: 0, bytes: [], totalLength: 0, isComplete: false))
        check(Completion(token: token, operation: id, result: result))
        check(DispatchBatch())
        check(DispatchBatch.Item(Assignment(token: token, operation: id, attempt: 0), work: 0, queue: 0))
        check(Input(name: "", bytes: []))
        check(TypedInput(operation: id, outcome: .succeeded))
        check(AttemptProgress(token, OperationProgress(fraction: 0)))
        check(AttemptFetch(token, present: 0))
        check(ReaderTicket(high: 0, low: 0))
        if let address = DataAddress(endpoint: "tcp://x", publicKey: nil) { check(address) }
        check(EventSelection())
        check(ProtocolRange.own)
        check(Secret([]))
        check(
            WorkerHello(
                protocols: ProtocolRange(oldest: 7, newest: 7),
                version: "",
                name: "",
                session: session,
                slots: 0,
                host: "",
                processID: 0,
                life: WorkerLife(rawValue: 0),
                sessionNumber: 0,
                attempts: []
            )
        )
        check(ClaimedAttempt(token: token, operation: id, attempt: 0))
        check(
            KeptAttempts.Attempt(
                claim: ClaimedAttempt(token: token, operation: id, attempt: 0, phase: .waiting),
                result: nil,
                age: 0
            )
        )
        check(
            Welcome(
                protocolVersion: 0,
                session: session,
                epoch: 0,
                heartbeatInterval: .zero,
                lease: .zero,
                staleAttempts: [],
                recalledAttempts: []
            )
        )
        check(DocumentRequest.queues)
        check(Request.document(.queues))
        check(Reply.document([]))
        check(ExistingDependency(on: .job(job), condition: .any))
        check(OperationProgress(fraction: 0))
        check(ChangeReport(changed: 0))
        check(EventPage(lines: [], last: 0))
        check(JobCounts())
    }
}
