@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Maximum of failures of a job", .timeLimit(.minutes(60)))
struct FailureLimitTests {
    private static func most(_ number: UInt32) -> JobSettings { JobSettings(maxFailures: number) }

    @Test("At the maximum of failures, what has not started is cancelled with a reason, and what executes goes on")
    func stops() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.array(10), .op(on: .needs(0)), settings: Self.most(2))
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.state(job / 1) == .executing && cluster.state(job / 2) == .executing)
        #expect(cluster.outcome(job / 9) == nil)
        cluster.finish(job / 1, .exited(1))
        #expect(cluster.state(job / 2) == .executing)
        for index in 3...9 {
            #expect(cluster.outcome(job / index) == .cancelled, "\(index)")
            #expect(cluster.last(job / index)?.reason?.message.contains("maximum of 2 failures") == true)
        }
        // It was skipped by the first failure.
        #expect(cluster.outcome(job / 10) == .skipped)
        cluster.finish(job / 2)
        #expect(cluster.outcome(job / 2) == .succeeded)
        #expect(cluster.record.finished[job] != nil)
    }

    @Test("What is there for failures stays: onFailure, after a failed operation, and what depends on these")
    func kept() {
        var cluster = Cluster()
        cluster.join("w1", slots: 1)
        let job = cluster.submit(
            .op(),
            .op(on: .needs(0)),
            .op(on: .after(1)),
            .op(on: .onFailure(0)),
            .op(on: .after(3), .needs(2)),
            .op(on: .after(6)),
            .op(delay: .seconds(60)),
            .op(on: .after(5)),
            settings: Self.most(1)
        )
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.outcome(job / 1) == .skipped)
        // It comes after an operation that was skipped because of the failure.
        #expect(cluster.outcome(job / 2) == nil)
        #expect(cluster.outcome(job / 3) == nil)
        #expect(cluster.outcome(job / 4) == nil)
        for index in 5...7 { #expect(cluster.outcome(job / index) == .cancelled, "\(index)") }
        for index in 2...4 { cluster.finish(job / index) }
        #expect(cluster.record.finished[job] != nil)
        #expect((2...4).allSatisfy { cluster.outcome(job / $0) == .succeeded })
    }

    @Test("An operation after a failed array stays, and runs once all elements have ended")
    func finalOperation() {
        var cluster = Cluster()
        cluster.join("w1", slots: 1)
        let job = cluster.submit(.array(5), .op(on: .after(0)), .op(on: .needs(0)), settings: Self.most(1))
        cluster.finish(job / 0, .exited(1))
        #expect((1...4).allSatisfy { cluster.outcome(job / $0) == .cancelled })
        #expect(cluster.state(job / 5) == .executing)
        #expect(cluster.outcome(job / 6) == .skipped)
    }

    @Test("An operation that waits for a retry has started, and goes on; an attempt sent ahead is taken back")
    func started() {
        var cluster = Cluster()
        cluster.join("w1", slots: 1)
        let job = cluster.submit(
            .op(template: 1),
            .op(),
            .op(),
            templates: [.noOperation, .retrying(1)],
            settings: Self.most(1)
        )
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.state(job / 0) == .pending)
        #expect(cluster.state(job / 1) == .executing)
        cluster.finish(job / 1, .exited(1))
        #expect(cluster.outcome(job / 2) == .cancelled)
        #expect(cluster.last(job / 2)?.reason?.message.contains("maximum of 1 failure") == true)
        #expect(cluster.outcome(job / 0) == nil)
        cluster.pass(.seconds(2))
        cluster.finish(job / 0)
        #expect(cluster.outcome(job / 0) == .succeeded)
    }

    @Test("An operation that its worker starts before it hears of the maximum goes on, and others are cancelled")
    func startedMeanwhile() throws {
        var cluster = Cluster(Configuration(sendAhead: .atMost(1)))
        cluster.join("w1", slots: 1)
        let session = cluster.join("w2", slots: 1)
        let job = cluster.submit(.array(6), settings: Self.most(1))
        let ofSecond = cluster.sent.filter { $0.session == session }.map(\.operation)
        try #require(ofSecond.count == 2 && cluster.state(ofSecond[1]) == .ready)
        cluster.delayMessages(to: session)
        let failed = try #require((0...3).map { job / $0 }.first { !ofSecond.contains($0) })
        cluster.finish(failed, .exited(1))
        #expect(cluster.outcome(job / 5) == .cancelled)
        #expect(cluster.outcome(ofSecond[1]) == nil)
        // The worker starts the next operation before it reads that the coordinator wants it back.
        cluster.finish(ofSecond[0])
        cluster.deliverMessages(to: session)
        #expect(cluster.state(ofSecond[1]) == .executing)
        cluster.finish(ofSecond[1])
        #expect(cluster.outcome(ofSecond[1]) == .succeeded)
        cluster.finishAll()
        #expect(cluster.record.finished[job] != nil)
    }

    @Test("Other jobs, failures without a maximum, and retries that are left do not count")
    func others() {
        var cluster = Cluster()
        cluster.join("w1", slots: 1)
        let limited = cluster.submit(.op(on: .needs(1)), .op(delay: .seconds(60)), settings: Self.most(1))
        let other = cluster.submit(.op(), .op())
        cluster.finish(other / 0, .exited(1))
        #expect(cluster.outcome(limited / 0) == nil)
        cluster.finish(other / 1)
        #expect(cluster.outcome(other / 1) == .succeeded)
    }

    @Test("RT5 With cancelRunning, what executes or waits for a retry is cancelled, but not what is there for failures")
    func cancelsRunning() throws {
        var cluster = Cluster()
        let session = cluster.join("w1", slots: 4)
        let job = cluster.submit(
            .op(template: 1),
            .op(),
            .op(),
            .op(),
            .op(),
            .op(on: .onFailure(1)),
            templates: [.noOperation, .retrying(1)],
            settings: JobSettings(maxFailures: 1, cancelRunning: true)
        )
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.state(job / 0) == .pending && cluster.state(job / 4) == .executing)
        let running = try [2, 3, 4].map { try #require(cluster.running[job / $0]?.token) }
        cluster.finish(job / 1, .exited(1))
        let asked = cluster.effects.flatMap { effect in
            if case .endAttempts(session, let tokens) = effect { tokens } else { [AttemptToken]() }
        }
        #expect(Set(asked) == Set(running))
        #expect(cluster.outcome(job / 1) == .failed && cluster.outcome(job / 0) == .cancelled)
        #expect(cluster.last(job / 0)?.reason?.message.hasPrefix("It waited for another attempt when its job") == true)
        cluster.finish(job / 2, .cancelled(exitStatus: nil, signal: 15))
        #expect(cluster.outcome(job / 2) == .cancelled)
        #expect(
            cluster.last(job / 2)?.reason?.message == "It was executing when its job reached its maximum of 1 failure."
        )
        // These had ended by themselves.
        cluster.finish(job / 3)
        cluster.finish(job / 4, .exited(2))
        #expect(cluster.outcome(job / 3) == .succeeded && cluster.outcome(job / 4) == .failed)
        #expect(cluster.state(job / 5) == .executing)
        cluster.cancel(.operation(job / 5))
        cluster.finish(job / 5, .cancelled(exitStatus: nil, signal: 15))
        #expect(
            cluster.last(job / 5)?.reason?.message == "Its cancellation was asked for while it was executing."
        )
        #expect(cluster.record.finished[job] != nil)
    }

    @Test("RT5 The cancellation of what executes outlasts a restart")
    func cancelsRunningAfterRestart() throws {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.array(4), settings: JobSettings(maxFailures: 1, cancelRunning: true))
        let attempt = try #require(cluster.running[job / 1])
        cluster.finish(job / 0, .exited(1))
        cluster.restart()
        let session = cluster.join("w1", slots: 2, holding: [attempt])
        #expect(cluster.last(job / 1)?.isCancelled == true)
        cluster.report(attempt, .cancelled(exitStatus: nil, signal: 15), session: session)
        #expect((1...3).allSatisfy { cluster.outcome(job / $0) == .cancelled })
        #expect(cluster.record.finished[job] != nil)
    }

    @Test("The failures of before a restart count")
    func restart() {
        var cluster = Cluster()
        cluster.join("w1", slots: 1)
        let job = cluster.submit(.array(5), .op(on: .onFailure(0)), settings: Self.most(2))
        cluster.finish(job / 0, .exited(1))
        cluster.restart()
        cluster.join("w1", slots: 1)
        cluster.finish(job / 1, .exited(1))
        #expect((2...4).allSatisfy { cluster.outcome(job / $0) == .cancelled })
        #expect(cluster.state(job / 5) == .executing)
    }
}
