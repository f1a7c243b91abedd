import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

/// The answers of a busy client take turns with the answers of other clients, one at a time if they take long.
@Suite("Fair turns of answers")
struct FairAnswersTests {
    /// A coordinator without a thread, whose record answers when a test says so.
    private final class Driven {
        private let coordinator: SteppedCoordinator
        private(set) var unread: [(count: Int, peer: RoutingID)] = []
        private(set) var refusals: [(RoutingID, Refusal)] = []
        private(set) var answers: [(peer: RoutingID, number: UInt64)] = []

        init() throws {
            coordinator = try SteppedCoordinator(SQLStore(on: MemoryDisk()), at: Timestamp(rawValue: 1_000_000))
            coordinator.asksQuestions = false
            endTurn()
        }

        var core: CoordinatorCore { coordinator.core }

        /// The questions that the record has not been asked yet.
        var questions: [RecorderInbox.Item] { coordinator.questions }

        /// Whether messages are read at once; otherwise they stay in ``unread``.
        var isRead: Bool {
            get { coordinator.isRead }
            set { coordinator.isRead = newValue }
        }

        func ask(_ request: Request, _ number: UInt64, from peer: RoutingID) {
            coordinator.ask(request, number, from: peer)
        }

        func tell(_ bytes: [UInt8], from peer: RoutingID) { coordinator.receive(bytes, from: peer) }

        /// Ends a turn, and commits its changes; questions to the record stay open.
        func endTurn() {
            coordinator.endTurn()
            for (bytes, peer) in coordinator.takeMessages() {
                if !isRead { unread.append((bytes.count, peer)) }
                if case .reply(let number, _)? = try? bytes.withUnsafeBytes({ try ClientReply(decoding: $0) }) {
                    answers.append((peer, number))
                }
                if case .refused(let refusal)? = try? bytes.withUnsafeBytes({ try CoordinatorMessage(decoding: $0) }) {
                    refusals.append((peer, refusal))
                }
            }
        }

        /// Reads the first unread message.
        func readOne() {
            let (count, peer) = unread.removeFirst()
            core.delivered(count, to: peer)
            endTurn()
        }

        /// Lets the record answer its first question.
        func answerOne() {
            coordinator.askQuestion()
            endTurn()
        }
    }

    private static let operation = Address.operation(OperationID(job: JobNumber(1), index: 0))
    private let greedy: RoutingID
    private let other: RoutingID

    init() throws {
        greedy = try Self.peer(1)
        other = try Self.peer(2)
    }

    private static func peer(_ number: UInt8) throws -> RoutingID { try #require(RoutingID([number])) }

    private func cluster(_ operations: Int = 1, length: Int = 0) throws -> Driven {
        let cluster = try Driven()
        var submission = Submission.noOperations(Array(repeating: [], count: operations))
        submission.templates[0].work = Work(.commands([["echo", String(repeating: "x", count: length)]]))
        for index in submission.entries.indices { submission.entries[index].isHeld = true }
        cluster.ask(.submit(submission), 1, from: other)
        cluster.endTurn()
        while !cluster.questions.isEmpty { cluster.answerOne() }
        #expect(cluster.answers.count == 1)
        return cluster
    }

    @Test(
        "The record is asked for one answer of unknown length at a time, and another client's answer comes next",
        arguments: [
            Request.document(.operation(operation)),
            .document(.job(JobNumber(1), from: 0, limit: 1000)),
            .document(.jobs(before: nil, limit: 1000)),
            .document(.jobs(before: nil, limit: 10, filter: ListFilter(outcomes: [.failed]))),
            .document(.job(JobNumber(1), from: 0, limit: 10, filter: ListFilter(name: NameGlob("o*")))),
        ]
    )
    func oneAtATime(_ request: Request) throws {
        let cluster = try cluster()
        for number in 1...100 { cluster.ask(request, UInt64(number), from: greedy) }
        cluster.endTurn()
        #expect(cluster.questions.count == 1)
        cluster.answerOne()
        #expect(cluster.questions.count == 1)
        cluster.ask(request, 2, from: other)
        cluster.endTurn()
        #expect(cluster.questions.count == 1)
        cluster.answerOne()
        cluster.answerOne()
        #expect(cluster.answers.map(\.peer) == [other, greedy, greedy, other])
    }

    @Test(
        "Another client's answer does not wait for an answer about all of a job, but one more of these does",
        arguments: [
            Request.retry(JobNumber(1), key: "once"), .document(.summary(JobNumber(1))),
            .document(.criticalPath(JobNumber(1))), .history(HistorySelection(job: JobNumber(1))),
        ]
    )
    func wholeJob(_ request: Request) throws {
        let cluster = try cluster()
        cluster.ask(request, 1, from: greedy)
        cluster.endTurn()
        cluster.ask(.document(.summary(JobNumber(1))), 1, from: other)
        cluster.endTurn()
        #expect(cluster.questions.count == 1)
        let third = try Self.peer(3)
        cluster.ask(.document(.operation(Self.operation)), 1, from: third)
        cluster.ask(.document(.jobs(before: nil, limit: 10)), 2, from: third)
        cluster.endTurn()
        let lines = cluster.questions.map { question -> ReadingLine? in
            if case .readBeside(let line, _, _) = question { line } else { nil }
        }
        #expect(lines == [.jobs, .pages, .pages])
    }

    @Test("The output of a finished operation is read beside the commits")
    func log() throws {
        let cluster = try cluster()
        cluster.ask(.cancel([.job(JobNumber(1))], queue: nil), 1, from: other)
        cluster.endTurn()
        cluster.ask(.log(Self.operation, attempt: nil, .standardOutput, offset: 0, limit: 100), 2, from: other)
        cluster.endTurn()
        #expect(cluster.questions.count == 1)
        guard case .readBeside(.pages, _, _)? = cluster.questions.first else {
            Issue.record("\(cluster.questions)")
            return
        }
        cluster.answerOne()
        #expect(cluster.answers.contains { $0 == (other, 2) })
    }

    @Test("A new client's answer does not wait for a round of fifty clients, which get their answers in order")
    func many() throws {
        let cluster = try cluster(length: FairTurns<RoutingID>.little)
        let crowd = try (10..<60).map { try Self.peer($0) }
        let show = Request.document(.operation(Self.operation))
        for number in 1...10 { for peer in crowd { cluster.ask(show, UInt64(number), from: peer) } }
        cluster.endTurn()
        for _ in 0..<120 { cluster.answerOne() }
        #expect(Set(cluster.answers.map(\.peer)) == Set(crowd + [other]))
        for number: UInt8 in 100..<110 {
            let new = try Self.peer(number)
            // Earlier short answers of the client do not count.
            cluster.ask(.document(.status), 1, from: new)
            cluster.ask(.document(.status), 2, from: new)
            cluster.ask(show, 3, from: new)
            cluster.endTurn()
            // The present answer, one answer in between, and the client's own.
            for _ in 0..<3 { cluster.answerOne() }
            #expect(cluster.answers.contains { $0 == (new, 3) })
        }
        // New clients do not keep the other clients waiting either.
        for number: UInt8 in 110..<150 { cluster.ask(show, 1, from: try Self.peer(number)) }
        let before = cluster.answers.filter { crowd.contains($0.peer) }.count
        for _ in 0..<40 { cluster.answerOne() }
        #expect(cluster.answers.filter { crowd.contains($0.peer) }.count >= before + 15)
        while !cluster.questions.isEmpty { cluster.answerOne() }
        for peer in crowd {
            #expect(cluster.answers.filter { $0.peer == peer }.map(\.number) == Array(1...10))
        }
    }

    @Test("A client's second short request does not wait for a first round of fifty long answers")
    func firstRound() throws {
        let cluster = try cluster(length: FairTurns<RoutingID>.little)
        let page = Request.document(.job(JobNumber(1), from: 0, limit: 1000))
        for number in 1...2 {
            for peer: UInt8 in 10..<60 { cluster.ask(page, UInt64(number), from: try Self.peer(peer)) }
        }
        cluster.endTurn()
        cluster.ask(.document(.status), 1, from: other)
        cluster.ask(.document(.operation(Self.operation)), 2, from: other)
        cluster.endTurn()
        for _ in 0..<4 { cluster.answerOne() }
        #expect(cluster.answers.contains { $0 == (other, 2) })
    }

    @Test("The list of workers is made one answer at a time, and hellos are refused once their texts exceed a limit")
    func workers() throws {
        let cluster = try cluster()
        let types = (0..<1024).map { "t\($0)" + String(repeating: "x", count: 190) }
        for number in 0..<400 {
            let peer = try #require(RoutingID([8, UInt8(number / 200), UInt8(number % 200)]))
            let hello = WorkerHello(
                version: "test",
                name: "w\(number)",
                session: SessionID(rawValue: UInt64(number) + 1),
                slots: 1,
                host: "host",
                processID: 1,
                life: WorkerLife(rawValue: 1),
                sessionNumber: 1,
                attempts: [],
                types: types
            )
            cluster.tell(WorkerMessage.hello(hello).encoded(), from: peer)
        }
        cluster.endTurn()
        #expect(cluster.core.violations.isEmpty)
        let refused = cluster.refusals
        #expect(refused.count > 100 && refused.count < 300)
        #expect(refused.first?.1.message.hasPrefix("The workers have told so much of themselves") == true)
        for number in 1...40 { cluster.ask(.document(.workers), UInt64(number), from: greedy) }
        cluster.endTurn()
        #expect(cluster.questions.count == 1)
        #expect(cluster.core.admission.replyBytesInAll > 40 << 20)
    }

    @Test("A client's short request is answered before most of another client's thousand short requests")
    func short() throws {
        let cluster = try cluster()
        let gone = Request.cancel([.job(JobNumber(7))], queue: nil)
        for number in 1...1000 { cluster.ask(gone, UInt64(number), from: greedy) }
        cluster.endTurn()
        let open = cluster.questions.count
        #expect(open > 0 && open < 100)
        cluster.ask(gone, 2, from: other)
        cluster.endTurn()
        for _ in 0...open { cluster.answerOne() }
        #expect(cluster.answers.contains { $0 == (other, 2) })
    }

    @Test("One turn of the loop serves a bounded number of requests, and the next turn serves another client too")
    func turn() throws {
        let cluster = try cluster()
        for number in 1...5000 { cluster.ask(.document(.status), UInt64(number), from: greedy) }
        let first = cluster.answers.count
        cluster.endTurn()
        #expect(cluster.answers.count - first < 3000)
        #expect(cluster.core.admission.canServeAny)
        cluster.ask(.document(.status), 2, from: other)
        cluster.endTurn()
        #expect(cluster.answers.contains { $0 == (other, 2) })
        while cluster.core.admission.canServeAny { cluster.endTurn() }
        #expect(cluster.answers.count == 1 + 5000 + 1)
    }

    @Test("The unread answers of a hundred clients stay within a common limit, and each answer arrives in the end")
    func inAll() throws {
        let cluster = try cluster(50, length: 1000)
        let limit = 1 << 20
        cluster.core.admission = Admission(
            replyBudget: ByteBudget(ofPeer: 8 << 20, inAll: limit, forFirst: limit, ownShare: 32 << 10)
        )
        cluster.isRead = false
        let crowd = try (10..<110).map { try Self.peer($0) }
        let page = Request.document(.job(JobNumber(1), from: 0, limit: 50))
        for number in 1...2 { for peer in crowd { cluster.ask(page, UInt64(number), from: peer) } }
        cluster.endTurn()
        while !cluster.questions.isEmpty { cluster.answerOne() }
        let length = try #require(cluster.unread.first?.count)
        #expect(length > 50_000)
        // A single answer may exceed the limit, with the memory set aside for an answer.
        #expect(cluster.unread.map(\.count).reduce(0, +) <= limit + length)
        // Short answers and parts are made meanwhile.
        cluster.ask(.document(.status), 2, from: other)
        cluster.ask(.log(Self.operation, attempt: nil, .standardOutput, offset: 0, limit: 1 << 20), 3, from: other)
        cluster.endTurn()
        #expect(Set(cluster.answers.filter { $0.peer == other }.map(\.number)) == [1, 2, 3])
        while !cluster.unread.isEmpty {
            cluster.readOne()
            while !cluster.questions.isEmpty { cluster.answerOne() }
        }
        #expect(cluster.answers.count == 3 + 200)
        #expect(cluster.core.admission.replyBytesInAll == 0)
    }

    @Test("Two thousand watchers stay within the limit of memory for answers, and none of them waits for room")
    func watchers() throws {
        let cluster = try cluster()
        let last = cluster.core.watches.newestEvent
        var crowd: [RoutingID] = []
        for high: UInt8 in 0..<10 {
            for low: UInt8 in 0..<200 { crowd.append(try #require(RoutingID([9, high, low]))) }
        }
        for peer in crowd { cluster.ask(.watch(since: last, limit: 1000, atMost: .seconds(30)), 1, from: peer) }
        while cluster.core.admission.canServeAny { cluster.endTurn() }
        #expect(cluster.core.admission.replyBytesInAll <= (512 << 20) + crowd.count * 32 << 10)
        #expect(!cluster.core.admission.isAnyWaiting)
    }
}
