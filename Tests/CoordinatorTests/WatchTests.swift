@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonDocuments
import Foundation
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@Suite("Watches of the event stream", .timeLimit(.minutes(60)))
struct WatchTests {
    /// The events that a watcher has received so far.
    private struct Told {
        var events: [EventDocument] = []
        var missed: UInt64 = 0
        var last: UInt64

        /// Sends one request, and adds the received events.
        mutating func ask(_ peer: Peer, limit: UInt32 = 1000) throws {
            let reply = try peer.ask(.watch(since: last, limit: limit, atMost: .seconds(3600)))
            guard case .events(let page) = reply else { throw Unexpected(answer: "\(reply)") }
            for line in page.lines.split(separator: UInt8(ascii: "\n")) {
                events.append(try JSONDecoder().decode(EventDocument.self, from: Data(line)))
            }
            missed += page.missed
            last = page.last
        }

        /// The states of an operation, in the order of the events.
        func states(of index: UInt32) -> [String] {
            let operation = OperationID(job: JobNumber(1), index: index)
            return events.filter { $0.operation == operation }.compactMap { event in
                event.cancelled == true ? "cancelled" : event.state
            }
        }
    }

    /// Runs a job of two operations, the second after the first, at a worker that is called `w1`.
    private func runJob(_ harness: Harness, _ client: Peer) throws {
        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7).session
        guard case .job = try client.ask(.submit(.noOperations([[], [0]]))) else { throw Unexpected(answer: "no job") }
        var left = 2
        while left > 0 {
            for assignment in try worker.receiveAttempts() {
                let result = AttemptResult(end: .exited(0))
                let completion = Completion(
                    token: assignment.token,
                    operation: assignment.operation,
                    result: result
                )
                let report = AttemptReport(started: [AttemptStart(assignment.token)], completions: [completion])
                try worker.send(WorkerMessage.report(session, report).encoded())
                left -= 1
            }
        }
    }

    @Test("OB10 The stream has each event once and in order, and a watcher resumes after its last event over a restart")
    func resume() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        try runJob(harness, client)
        var told = Told(last: 0)
        // Small pages: each request begins at the end of the previous answer.
        while told.events.last(where: { $0.event == "job" })?.state != "finished" { try told.ask(client, limit: 2) }
        #expect(told.events.map(\.seq) == Array(1...told.last))
        #expect(told.states(of: 0) == ["ready", "executing", "finished"])
        #expect(told.states(of: 1) == ["ready", "executing", "finished"])
        #expect(told.events.first { $0.state == "executing" }?.worker == "w1")
        try harness.stop()

        let again = try Harness(directory: harness.directory)
        let other = try Peer(again.server.endpoint)
        guard case .job = try other.ask(.submit(.noOperations([[]]))) else { throw Unexpected(answer: "no job") }
        let before = told.last
        try told.ask(other)
        #expect(told.events.map(\.seq) == Array(1...told.last))
        #expect(told.missed == 0)
        #expect(told.events.first { $0.seq > before && $0.event == "job" }?.job == JobNumber(2))
        try again.stop()
    }

    @Test("OB10 Equal changes of neighbouring elements are one event, and a watcher can resume within it")
    func ranges() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        var submission = Submission.noOperations([[]])
        submission.entries[0].array = .numbers(first: 1, step: 1, count: 1_000_000)
        guard case .job = try client.ask(.submit(submission)) else { throw Unexpected(answer: "no job") }
        var told = Told(last: 0)
        try told.ask(client)
        let ready = try #require(told.events.first { $0.state == "ready" })
        #expect(ready.count == 1_000_000)
        #expect(told.last == ready.seq + 999_999)

        var rest = Told(last: ready.seq + 9)
        try rest.ask(client)
        #expect(rest.events.first?.operation == OperationID(job: JobNumber(1), index: 10))
        #expect(rest.events.first?.count == 999_990)
        #expect(rest.events.first?.seq == ready.seq + 10)
        #expect(rest.last == told.last)
        #expect(rest.missed == 0)
        try harness.stop()
    }

    @Test("OB10 A watcher that fell out of the kept history is told the number of missed events")
    func missed() throws {
        let harness = try Harness { $0.eventHistory = 5 }
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        for _ in 0..<10 { _ = try client.ask(.submit(.noOperations([[]]))) }
        var told = Told(last: 0)
        try told.ask(client)
        #expect(told.missed > 0)
        #expect(told.events.first?.seq == told.missed + 1)
        #expect(told.events.map(\.seq) == Array(told.missed + 1...told.last))
        try harness.stop()
    }

    @Test("A client's newer watch ends its older watch without events, and every open watch receives the next event")
    func newer() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let other = try Peer(harness.server.endpoint)
        let submitter = try Peer(harness.server.endpoint)
        let watch = Request.watch(since: 0, limit: 10, atMost: .seconds(50))
        let first = try client.begin(watch)
        let unaffected = try other.begin(watch)
        let second = try client.begin(watch)
        #expect(try client.answer(to: first) == .events(EventPage(lines: [], last: 0)))
        guard case .job = try submitter.ask(.submit(.noOperations([[]]))) else { throw Unexpected(answer: "no job") }
        for (peer, number) in [(client, second), (other, unaffected)] {
            let reply = try peer.answer(to: number, repeating: watch)
            guard case .events(let page) = reply, page.last > 0 else { throw Unexpected(answer: "\(reply)") }
        }
        try harness.stop()
    }

    @Test("A watch that starts after the newest event is refused, and a watch without time returns an empty page")
    func nothing() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        guard case .refused(let refusal) = try client.ask(.watch(since: 99, limit: 10, atMost: .seconds(1))) else {
            throw Unexpected(answer: "not refused")
        }
        #expect(refusal.code == .invalid)
        let reply = try client.ask(.watch(since: nil, limit: 10, atMost: .zero))
        #expect(reply == .events(EventPage(lines: [], last: 0)))
        try harness.stop()
    }
}
