@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import Baton

@Suite("What a program hears of its operations")
struct FollowerTests {
    private let channel = FakeChannel()
    private let cluster: Cluster
    private let queue: DistributedOperationQueue

    init() {
        cluster = channel.makeCluster()
        queue = cluster.queue("q")
    }

    /// Answers the oldest watch with a page of events.
    private func answer(_ lines: String..., last: UInt64) {
        #expect(channel.answerWatch(lines, last: last) != nil, "nobody watches")
    }

    private func addAndAccept(_ operation: DistributedOperation) throws {
        try queue.addOperation(operation)
        while case .submit? = channel.requests.first { channel.accept() }
    }

    private func state(_ address: String, _ state: String, seq: Int, _ rest: String = "") -> String {
        #"{"seq":\#(seq),"event":"operation","operation":"\#(address)","state":"\#(state)","attempt":1,"worker":"w"\#(rest)}"#
    }

    @Test("L7 Nothing is followed before somebody looks, and then from the document on")
    func interest() throws {
        let operation = DistributedOperation()
        try addAndAccept(operation)
        #expect(channel.requests.isEmpty)
        #expect(!operation.isFinished)
        #expect(channel.requests == [.watch(since: nil, limit: 1, atMost: .zero)])
        answer(last: 7)
        let id = OperationID(job: JobNumber(1), index: 0)
        #expect(
            channel.requests == [
                .watch(since: 7, limit: 1000, atMost: .seconds(60), of: EventSelection(operations: [id])),
                .document(.operation(.operation(id))),
            ]
        )
        answer(state("1/0", "executing", seq: 8), last: 8)
        #expect(operation.isExecuting && operation.worker == "w")
        // The answer about the present state may be older than the events.
        channel.answer(.success(.document(Array(document("1/0", state: "ready").utf8))))
        answer(state("1/0", "finished", seq: 9, #","outcome":"succeeded""#), last: 9)
        #expect(operation.isFinished && operation.outcome == .succeeded && operation.attempt == 1)
        #expect(channel.requests.isEmpty, "a finished operation is not followed")
    }

    @Test("L7 A failure is told with its reason, which only the document has")
    func failure() throws {
        let operation = DistributedOperation()
        try addAndAccept(operation)
        _ = operation.isFinished
        answer(last: 1)
        let ready = document("1/0", state: "ready")
        guard case .watch? = channel.requests.first, case .document? = channel.requests.last else {
            Issue.record("\(channel.requests)")
            return
        }
        answer(state("1/0", "finished", seq: 2, #","outcome":"failed""#), last: 2)
        #expect(!operation.isFinished)
        // The first document is under way already; another one is asked for after it.
        channel.answer(.success(.document(Array(ready.utf8))))
        #expect(!operation.isFinished)
        answer(last: 2)
        guard case .document? = channel.requests.first else {
            Issue.record("\(channel.requests)")
            return
        }
        let failed = document("1/0", state: "finished", #""outcome":"failed","reason":"exit","message":"It broke.""#)
        channel.answer(.success(.document(Array(failed.utf8))))
        #expect(operation.error?.code == .exit && operation.error?.message == "It broke.")
    }

    @Test("A new member makes a new watch beside the one that ends, and more of them wait for its end")
    func members() throws {
        var state = FollowerState()
        let jobs = (1...4).map { FollowedMember.job(JobNumber($0)) }
        let isFirst = state.insert(jobs[0])
        let (mustStart, mustStartAgain) = (state.mustStart(), state.mustStart())
        #expect(isFirst && mustStart && !mustStartAgain)
        let early = state.nextWatch()
        #expect(early == nil, "the first watch needs the number of the newest event")
        _ = state.started(after: 7)
        let first = try unwrapped(state.nextWatch())
        #expect(first.since == 7 && first.members == [jobs[0]])
        let idle = state.nextWatch()
        #expect(idle == nil)
        for job in jobs[1...] { _ = state.insert(job) }
        let second = try unwrapped(state.nextWatch())
        #expect(second.members.count == 4)
        _ = state.insert(.queue("q"))
        let third = state.nextWatch()
        #expect(third == nil, "two are enough")
        state.answered(upTo: 9)
        let fourth = try unwrapped(state.nextWatch())
        #expect(fourth.since == 9 && fourth.members.count == 5)
        state.remove(fourth.members)
        state.answered(upTo: 10)
        state.answered(upTo: 12)
        #expect(state.cursor == nil && state.members.isEmpty)
    }

    @Test("Many operations of a job are followed as the job")
    func manyOfOneJob() {
        var state = FollowerState()
        let members = (0..<20).map { state.member(for: OperationID(job: JobNumber(1), index: $0)) }
        #expect(members[0] == .operation(OperationID(job: JobNumber(1), index: 0)))
        #expect(members[19] == .job(JobNumber(1)))
    }

    @Test(
        "A line that is no event is an error, and never a trap",
        arguments: [
            "", "x", "[]", "{}", #"{"seq":"a"}"#, #"{"seq":1"#, #"{"seq":1,"event":7"#, "\u{0}", "{\"seq\":-1e999}",
        ]
    )
    func malformed(_ line: String) {
        let page = EventPage(lines: Array((line + "\n").utf8), last: 1)
        var count = 0
        if line.isEmpty {
            #expect(throws: Never.self) { try EventReader.read(page, since: 0) { _ in count += 1 } }
        } else {
            #expect(throws: ClusterError.self) { try EventReader.read(page, since: 0) { _ in count += 1 } }
        }
        #expect(count == 0)
    }

    @Test("An event of a later version is passed on as another one, and missed ones come first")
    func later() throws {
        let lines = [
            #"{"seq":5,"event":"comet"}"#,
            #"{"seq":6,"event":"operation","operation":"1/2","count":3,"held":true,"by":"laptop"}"#,
            #"{"seq":9,"event":"operation","operation":"x"}"#,
        ]
        let page = EventPage(lines: Array(lines.joined(separator: "\n").utf8), last: 9, missed: 2)
        var events: [Baton.ClusterEvent] = []
        try EventReader.read(page, since: 2) { events.append($0) }
        #expect(events.map(\.sequence) == [4, 5, 6, 9])
        let held = Baton.ClusterEvent.Kind.operation(OperationAddress(job: 1, index: 2), count: 3, .held(true))
        #expect(events.map(\.kind) == [.missed(2), .other, held, .other])
        #expect(events[2].by == "laptop")
        for count in ["-1", "0", "1e300", "200000000"] {
            let line = #"{"seq":6,"event":"operation","operation":"1/2","count":\#(count),"held":true}"#
            events = []
            try EventReader.read(EventPage(lines: Array(line.utf8), last: 9), since: 2) { events.append($0) }
            #expect(events.map(\.kind) == [.other])
        }
    }

    private func unwrapped<Value>(_ value: Value?) throws -> Value { try #require(value) }

    private func document(_ address: String, state: String, _ rest: String = #""outcome":null"#) -> String {
        #"{"operation":"\#(address)","queue":"q","state":"\#(state)","priority":0,"attempt":0,\#(rest)}"#
    }
}
