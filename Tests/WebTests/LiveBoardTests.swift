@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Synchronization
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("Live streams", .timeLimit(.minutes(60)))
struct LiveBoardTests {
    private let ticks = TestTicks()
    private static let job = LiveTopic.job(JobNumber(12))

    private func board(_ answers: PreparedAnswers) -> (LiveBoard, PreparedCluster) {
        let cluster = PreparedCluster(newest: answers.nextEvent) { answers.reply(to: $0.request) }
        return (LiveBoard(cluster, ticks.pace), cluster)
    }

    private static func jobPage(_ name: String) -> String {
        #"{"job":12,"name":"\#(name)","operations":[],"submittedAt":"t","next":0}"#
    }

    @Test("The newest documents come at once, changed ones with the next tick, and others not at all")
    func changes() async throws {
        let answers = PreparedAnswers([
            .overview: #"{"finished":1}"#, .workers: #"{"workers":[]}"#, Self.job: Self.jobPage("a"),
        ])
        let (board, _) = board(answers)
        let client = try TestStream()
        board.show([.workers, Self.job, .overview], in: client.stream, to: nil)
        await ticks.untilBegun()
        let first = client.take()
        #expect(first.hasPrefix("retry: 2000\n\n"))
        #expect(
            TestEvent.all(in: first) == [
                TestEvent(name: "workers", data: #"{"workers":[],"more":0,"seq":1}"#),
                TestEvent(name: "job", data: #"{"job":12,"name":"a","submittedAt":"t","seq":1}"#),
                TestEvent(name: "overview", data: #"{"finished":1,"seq":1}"#),
            ]
        )
        await ticks.make(2)
        #expect(client.take() == "")
        answers.set(Self.job, Self.jobPage("b"))
        await ticks.make()
        #expect(
            client.takeEvents() == [TestEvent(name: "job", data: #"{"job":12,"name":"b","submittedAt":"t","seq":4}"#)]
        )
    }

    @Test("Who comes later gets at once what others have got, and nobody else gets more for it")
    func later() async throws {
        let answers = PreparedAnswers([.overview: #"{"finished":1}"#, .queues: #"{"queues":[]}"#])
        let (board, cluster) = board(answers)
        let (first, second) = (try TestStream(), try TestStream())
        board.show([.overview], in: first.stream, to: nil)
        await ticks.untilBegun()
        #expect(first.takeEvents().map(\.name) == ["overview"])
        answers.set(.overview, #"{"finished":2}"#)
        board.show([.queues, .overview], in: second.stream, to: nil)
        // No tick: what comes, comes at once.
        while second.stream.pendingByteCount == 0 { await Task.yield() }
        let events = second.takeEvents()
        #expect(events.map(\.name) == ["queues", "overview"])
        #expect(events.last?.data == #"{"finished":1,"seq":1}"#)
        #expect(first.take() == "")
        #expect(cluster.requests.filter { $0 == LiveTopic.overview.request }.count == 1)
        await ticks.make()
        #expect(first.takeEvents() == second.takeEvents())
    }

    @Test("Many readers of a topic cost one question a tick", arguments: [1, 7, 500])
    func cost(readers: Int) async throws {
        let answers = PreparedAnswers([.workers: #"{"workers":[]}"#, Self.job: Self.jobPage("0")])
        let (board, cluster) = board(answers)
        let clients = try (0..<readers).map { _ in try TestStream() }
        for (index, client) in clients.enumerated() {
            board.show(index % 2 == 0 ? [Self.job, .workers] : [.workers, Self.job], in: client.stream, to: nil)
        }
        await ticks.untilBegun()
        for number in 1...5 {
            answers.set(Self.job, Self.jobPage("\(number)"))
            await ticks.make()
        }
        for topic in [.workers, Self.job] {
            #expect(cluster.requests.filter { $0 == topic.request }.count == 6)
        }
        #expect(cluster.connections.opened == 1)
        #expect(board.counts == (1, readers, 2))
        for client in clients { #expect(client.takeEvents().map(\.name).sorted() == ["job", "workers"]) }
    }

    @Test("Many topics take turns, and each has its turn", arguments: [64, 65, 128, 300])
    func turns(count: Int) async throws {
        let answers = PreparedAnswers([:])
        let (board, cluster) = board(answers)
        let topics = (1...UInt32(count)).map { LiveTopic.job(JobNumber($0)) }
        for topic in topics { answers.set(topic, Self.jobPage("a")) }
        var clients: [TestStream] = []
        for start in stride(from: 0, to: count, by: 16) {
            clients.append(try TestStream())
            board.show(Array(topics[start..<min(start + 16, count)]), in: clients[clients.count - 1].stream, to: nil)
        }
        await ticks.untilBegun()
        while clients.contains(where: { $0.stream.pendingByteCount == 0 }) { await Task.yield() }
        #expect(clients.flatMap { $0.takeEvents() }.count == count)
        // The first look is a tick, but asks about all topics that are there by then.
        var asked = cluster.requests.count
        let round = (count + LiveFeed.mostOfTick - 1) / LiveFeed.mostOfTick
        for _ in 0..<2 * round {
            await ticks.make()
            #expect(cluster.requests.count - asked <= LiveFeed.mostOfTick)
            asked = cluster.requests.count
        }
        for topic in topics { #expect(cluster.requests.filter { $0 == topic.request }.count >= 2, "\(topic)") }
    }

    @Test("A client that takes nothing has one document of each topic waiting, and then gets the newest")
    func slow() async throws {
        let answers = PreparedAnswers([.overview: #"{"finished":0}"#, Self.job: Self.jobPage("0")])
        let (board, _) = board(answers)
        let client = try TestStream()
        board.show([.overview, Self.job], in: client.stream, to: nil)
        await ticks.untilBegun()
        let pending = client.stream.pendingByteCount
        for number in 1...30 {
            answers.set(.overview, #"{"finished":\#(number)}"#)
            answers.set(Self.job, Self.jobPage("\(number)"))
            await ticks.make()
            #expect(client.stream.pendingByteCount == pending)
        }
        #expect(client.takeEvents().map(\.data.count).count == 2)
        await ticks.make()
        let events = client.takeEvents()
        #expect(events.map(\.name).sorted() == ["job", "overview"])
        #expect(events.allSatisfy { $0.data.contains("30") })
    }

    @Test("What does not exist is said once, beside the other topics, and shown once it exists")
    func gone() async throws {
        let answers = PreparedAnswers([.overview: #"{"finished":1}"#])
        answers[Self.job] = .refused(Refusal(.notFound, "There is no job \"12\"."))
        let (board, _) = board(answers)
        let client = try TestStream()
        board.show([Self.job, .overview], in: client.stream, to: nil)
        await ticks.untilBegun()
        let gone = TestEvent(name: "gone", data: #"{"topic":"job:12","message":"There is no job \"12\"."}"#)
        let events = client.takeEvents()
        #expect(events.first == gone && events.map(\.name) == ["gone", "overview"])
        await ticks.make(3)
        #expect(client.take() == "")
        answers.set(Self.job, Self.jobPage("a"))
        await ticks.make()
        #expect(client.takeEvents().map(\.name) == ["job"])
        answers[Self.job] = .refused(Refusal(.notFound, "There is no job \"12\"."))
        await ticks.make()
        #expect(client.takeEvents() == [gone])
    }

    @Test("Trouble of the record leaves the last document, and the topics that are answered go on")
    func trouble() async throws {
        let answers = PreparedAnswers([.overview: #"{"finished":1}"#, .workers: #"{"workers":[]}"#])
        let (board, _) = board(answers)
        let client = try TestStream()
        answers[Self.job] = .refused(Refusal(.storage, "The disk is full."))
        board.show([.workers, .overview, Self.job], in: client.stream, to: nil)
        await ticks.untilBegun()
        #expect(client.takeEvents().map(\.name) == ["workers", "overview"])
        answers[.workers] = .refused(Refusal(.storage, "The disk is full."))
        answers.set(.overview, #"{"finished":2}"#)
        await ticks.make()
        #expect(client.takeEvents().map(\.name) == ["overview"])
        answers.set(.workers, #"{"workers":[{}]}"#)
        answers.set(Self.job, Self.jobPage("a"))
        await ticks.make()
        #expect(client.takeEvents().map(\.name).sorted() == ["job", "workers"])
    }

    @Test("Topics without a stream are not asked about, and nothing is left behind the last stream")
    func leaving() async throws {
        let answers = PreparedAnswers([
            .overview: "{\"a\":0}", .workers: #"{"workers":[]}"#, .queues: #"{"queues":[]}"#,
        ])
        let (board, cluster) = board(answers)
        let (first, second) = (try TestStream(), try TestStream())
        board.show([.overview, .workers], in: first.stream, to: nil)
        board.show([.workers, .queues], in: second.stream, to: nil)
        #expect(board.counts == (1, 2, 3))
        await ticks.untilBegun()
        first.stream.finish(isAnswered: false)
        #expect(board.counts == (1, 1, 2))
        let asked = cluster.requests.count
        await ticks.make()
        #expect(Set(cluster.requests[asked...]) == [LiveTopic.workers.request, LiveTopic.queues.request])
        second.stream.finish(isAnswered: false)
        #expect(board.counts == (0, 0, 0))
        #expect(cluster.connections == (1, 1))
        // A stream that was over before it began.
        board.show([.overview], in: first.stream, to: nil)
        #expect(board.counts == (0, 0, 0))
        #expect(cluster.connections.opened == cluster.connections.closed)
    }

    @Test("The streams of a key end with its connection, and a new one gets another connection")
    func end() async throws {
        let answers = PreparedAnswers([.overview: "{\"a\":0}", .workers: #"{"workers":[]}"#])
        let (board, cluster) = board(answers)
        let clients = [try TestStream(), try TestStream()]
        for client in clients { board.show([.overview, .workers], in: client.stream, to: nil) }
        await ticks.untilBegun()
        answers[.workers] = nil
        await ticks.makeLast()
        while clients.contains(where: { $0.stream.write([]) }) { await Task.yield() }
        #expect(board.counts == (0, 0, 0))
        answers.set(.workers, #"{"workers":[]}"#)
        let next = try TestStream()
        board.show([.overview], in: next.stream, to: nil)
        while next.stream.pendingByteCount == 0 { await Task.yield() }
        #expect(next.takeEvents().map(\.name) == ["overview"])
        #expect(cluster.connections.opened == 2)
    }

    @Test("Holders of different keys share no document")
    func keys() async throws {
        var table = KeyTable()
        let home = try TemporaryHome()
        let token = try LocalTokenFile(home: home.path).tokenOrNew()
        let viewer = try table.authorize(.token(token.hash), name: #require(KeyName("wall")), role: .viewer, at: 1)
        let cluster = PreparedCluster { question in
            .document(Array(#"{"role":"\#(question.key?.role.rawValue ?? "none")"}"#.utf8))
        }
        let board = LiveBoard(cluster, ticks.pace)
        let (first, second) = (try TestStream(), try TestStream())
        board.show([.overview], in: first.stream, to: nil)
        board.show([.overview], in: second.stream, to: viewer)
        #expect(board.counts == (2, 2, 2))
        while [first, second].contains(where: { $0.stream.pendingByteCount == 0 }) { await Task.yield() }
        #expect(first.take().contains("none") && !second.take().contains("none"))
        first.stream.finish(isAnswered: true)
        #expect(board.counts == (1, 1, 1))
        second.stream.finish(isAnswered: true)
        #expect(cluster.connections == (2, 2))
    }
}
