@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

@Suite("What a coordinator that stands by answers")
struct StandbyAnswersTests {
    private static let leader = LeaderNotice(
        epoch: 17,
        address: "tcp://db1:7461",
        host: "db1",
        since: Timestamp(rawValue: 5),
        record: "a record"
    )
    private static let failure = StoreError(.unreachable, "The server is away.", mayPass: true)
    private static let versions = [
        ProtocolRange(oldest: 1, newest: 1), ProtocolRange(oldest: 1, newest: 2), ProtocolRange(oldest: 2, newest: 2),
        ProtocolRange(oldest: 1, newest: 9),
    ]

    /// The knowledge of a coordinator that stands by, and the sentence and the address in its answers.
    private static let knowledge: [(answers: StandbyAnswers, sentence: String, leader: String?)] = [
        (StandbyAnswers(), "This coordinator stands by, and no coordinator leads at present.", nil),
        (
            StandbyAnswers(leader: leader),
            "This coordinator stands by; the leader is at tcp://db1:7461 (epoch 17).", "tcp://db1:7461"
        ),
        (
            StandbyAnswers(leader: leader, failure: failure),
            "This coordinator stands by, and does not reach its record at present.", nil
        ),
    ]

    private func received(_ bytes: [UInt8]) -> ReceivedMessage {
        bytes.withUnsafeBytes { ReceivedMessage(decoding: $0) }
    }

    private func requester(_ role: Role) throws -> Requester {
        let pair = try CurveKeyPair.generate()
        let name = try #require(KeyName("somebody"))
        var table = KeyTable()
        let key = try table.authorize(.publicKey(pair.publicKey), name: name, role: role, at: 0)
        return Requester(key)
    }

    private func hello(_ protocols: ProtocolRange) -> [UInt8] {
        WorkerMessage.hello(
            WorkerHello(
                protocols: protocols,
                version: "test",
                name: "w1",
                session: SessionID(rawValue: 7),
                slots: 1,
                host: "host",
                processID: 1,
                life: WorkerLife(rawValue: 1),
                sessionNumber: 1,
                attempts: []
            )
        )
        .encoded()
    }

    @Test("A client that knows of leaders is told who leads, and an earlier one is refused with a sentence")
    func clients() throws {
        for (answers, sentence, leader) in Self.knowledge {
            #expect(answers.sentence == sentence)
            for protocols in Self.versions {
                let hello = ClientMessage.hello(protocols, version: "test").encoded()
                let answer = try #require(answers.answer(to: received(hello), by: nil))
                let reply = try answer.message.withUnsafeBytes { try ClientReply(decoding: $0) }
                if protocols.newest >= 2 {
                    #expect(reply == .leadership(Leadership(isLeading: false, leader: leader)))
                    #expect(answer.kind == .client)
                } else {
                    #expect(reply == .refused(Refusal(.unavailable, sentence)))
                    #expect(answer.kind == nil)
                }
            }
        }
    }

    @Test("A worker that knows of leaders is told who leads, and an earlier one has to ask again")
    func workers() throws {
        for (answers, _, leader) in Self.knowledge {
            for protocols in Self.versions {
                let inquiry = WorkerMessage.inquire(LeaderInquiry(protocols: protocols, version: "test")).encoded()
                for message in [hello(protocols), inquiry] {
                    let answer = answers.answer(to: received(message), by: nil)
                    guard protocols.newest >= 2 else {
                        #expect(answer == nil)
                        continue
                    }
                    let bytes = try #require(answer).message
                    let told = try bytes.withUnsafeBytes { try CoordinatorMessage(decoding: $0) }
                    #expect(told == .leadership(Leadership(isLeading: false, leader: leader)))
                    #expect(answer?.kind == .worker)
                }
            }
        }
    }

    @Test("A part of its process is told who leads, and where the web interface of the leader is if that is known")
    func refusals() {
        var leader = Self.leader
        for web in [nil, "http://10.0.0.1:7462/"] {
            leader.web = web
            let refusal = StandbyAnswers(leader: leader).refusal
            #expect(refusal.code == .storage && refusal.message.contains("the leader is at tcp://db1:7461"))
            #expect(refusal.message.hasSuffix(" Its web interface is at http://10.0.0.1:7462/.") == (web != nil))
            #expect(!StandbyAnswers(leader: leader, failure: Self.failure).refusal.message.contains("10.0.0.1"))
            #expect(ElectionNews.led(leader).leadersPage == web)
        }
        #expect(ElectionNews.led(nil).leadersPage == nil)
        #expect(ElectionNews.failed(Self.failure).leadersPage == nil)
    }

    @Test("Other messages have no answer")
    func others() {
        let session = SessionID(rawValue: 7)
        let messages = [
            ClientMessage.request(1, .document(.status)).encoded(),
            WorkerMessage.heartbeat(session, number: 3).encoded(),
            WorkerMessage.report(session, AttemptReport()).encoded(), [], [1, 2, 3],
        ]
        for (answers, _, _) in Self.knowledge {
            for message in messages { #expect(answers.answer(to: received(message), by: nil) == nil) }
        }
    }

    @Test("Whoever may not say hello is refused as by a leader, and not told later", arguments: Role.allCases)
    func roles(_ role: Role) throws {
        let requester = try requester(role)
        let answers = StandbyAnswers(leader: Self.leader)
        let client = ClientMessage.hello(.own, version: "test").encoded()
        let toClient = try #require(answers.answer(to: received(client), by: requester))
        #expect((toClient.kind == .client) == (role != .worker))
        let toWorker = try #require(answers.answer(to: received(hello(.own)), by: requester))
        #expect((toWorker.kind == .worker) == (role == .worker))
        let refused = role == .worker ? toClient : toWorker
        #expect(refused.kind == nil)
        if role == .worker {
            let reply = try refused.message.withUnsafeBytes { try ClientReply(decoding: $0) }
            #expect(reply == .refused(.noClient(requester)))
        } else {
            let message = try refused.message.withUnsafeBytes { try CoordinatorMessage(decoding: $0) }
            #expect(message == .refused(.noWorker(requester)))
        }
        let inquiry = WorkerMessage.inquire(LeaderInquiry(version: "test")).encoded()
        #expect((answers.answer(to: received(inquiry), by: requester) != nil) == (role == .worker))
    }

    @Test("A coordinator that stands by is ready as long as it reaches its record, and says who leads")
    func health() {
        for (answers, _, leader) in Self.knowledge {
            let health = answers.health(at: "tcp://db2:7461")
            #expect(health.answers)
            #expect(health.ready == (answers.failure == nil))
            #expect(health.duty == .standsBy)
            #expect(health.coordinator == "tcp://db2:7461")
            #expect(health.message.hasPrefix("The coordinator at tcp://db2:7461 answers, and stands by"))
            #expect(health.message.contains("tcp://db1:7461") == (leader != nil))
            #expect(health.message.hasSuffix("The server is away.") == (answers.failure != nil))
        }
    }

    @Test(
        "A port that was chosen freely is kept, and any other address stays as it was given",
        arguments: [
            ("tcp://127.0.0.1:*", "tcp://127.0.0.1:4711", "tcp://127.0.0.1:4711"),
            ("tcp://*:0", "tcp://0.0.0.0:4711", "tcp://0.0.0.0:4711"),
            ("tcp://*:7461", "tcp://0.0.0.0:7461", "tcp://*:7461"),
            ("tcp://db1:7461", "tcp://10.0.0.1:7461", "tcp://db1:7461"),
        ]
    )
    func address(given: String, bound: String, again: String) {
        #expect(CoordinatorPort.definite(given, boundTo: bound) == again)
    }

    @Test("A record in a file has no coordinators that stand by")
    func file() {
        let error = #expect(throws: CoordinatorError.self) { _ = try Harness { $0.standsBy = true } }
        #expect(error?.code == .badOptions)
    }
}
