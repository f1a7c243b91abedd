@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonCoordinator

@Suite("Requests about workers", .timeLimit(.minutes(60)))
struct DrainTests {
    private static let requests: [Request] = [
        .drain(["w1"]), .undrain(["w1"]), .stop(["w1"], isImmediate: false), .forget(["w1"]),
    ]

    @Test("Clients change workers; viewers and workers do not, and a viewer may wait for them")
    func roles() {
        for request in Self.requests {
            #expect(Role.client.permits(request))
            for role in [Role.viewer, .worker, .operation] { #expect(!role.permits(request), "\(role): \(request)") }
        }
        let wait = Request.waitForWorkers(["w1"], atMost: .zero)
        #expect(Role.client.permits(wait) && Role.viewer.permits(wait) && !Role.operation.permits(wait))
    }

    @Test("A present worker is sent the request to stop")
    func stop() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        _ = try worker.join("w1", session: 8, id: WorkerID(rawValue: 2))
        #expect(try client.ask(.stop(["w1"], isImmediate: true)) == .changed(ChangeReport(changed: 1)))
        #expect(try worker.receiveAsWorker() == .stop(isImmediate: true))
    }

    @Test("A wait for workers is answered when nothing runs, at its end, and when a worker is undrained")
    func wait() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let worker = try Peer(harness.server.endpoint)
        let session = try worker.join("w1", session: 7, id: WorkerID(rawValue: 1)).session
        guard case .job = try client.ask(.submit(.inQueue("q", count: 1))) else { throw Unexpected(answer: "no job") }
        let assignment = try worker.receiveAttempt()
        try worker.send(
            WorkerMessage.report(session, AttemptReport(started: [AttemptStart(assignment.token)])).encoded()
        )
        func wait(_ time: Duration) -> Request { .waitForWorkers(["w1"], atMost: time) }
        guard case .refused(let refusal) = try client.ask(wait(.seconds(60))) else {
            throw Unexpected(answer: "a wait for a worker that is not drained")
        }
        #expect(refusal.message.contains("w1 is not drained"))
        _ = try client.ask(.drain(["w1"]))
        var running = JobCounts()
        running.executing = 1
        #expect(try client.ask(wait(.zero)) == .progress(WaitProgress(counts: running, isFinished: false)))
        let undrained = try client.begin(wait(.seconds(60)))
        _ = try client.begin(.undrain(["w1"]))
        guard case .refused = try client.answer(to: undrained, repeating: wait(.seconds(60))) else {
            throw Unexpected(answer: "the wait goes on")
        }
        _ = try client.ask(.drain(["w1"]))
        let last = try client.begin(wait(.seconds(60)))
        let completion = Completion(
            token: assignment.token,
            operation: assignment.operation,
            result: AttemptResult(end: .exited(0))
        )
        try worker.send(WorkerMessage.report(session, AttemptReport(completions: [completion])).encoded())
        let ended = try client.answer(to: last, repeating: wait(.seconds(60)))
        #expect(ended == .progress(WaitProgress(counts: JobCounts(), isFinished: true)))
        try worker.send(WorkerMessage.goodbye(session).encoded())
        #expect(try client.ask(wait(.seconds(60))) == .progress(WaitProgress(counts: JobCounts(), isFinished: true)))
    }
}
