@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("States and attempts", .timeLimit(.minutes(60)))
struct StateTests {
    @Test("ST1 A new operation is ready unless it has dependencies, is not cancelled and has normal priority")
    func fresh() {
        var cluster = Cluster()
        let job = cluster.submit(.op(), .op(on: .after(0)))
        #expect(cluster.state(job / 0) == .ready)
        #expect(cluster.state(job / 1) == .pending)
        #expect(cluster.scheduler.record(of: job / 0)?.isCancelled == false)
        #expect(cluster.scheduler.record(of: job / 0)?.attempt == 0)
        #expect(Entry().priority == .normal)
    }

    @Test("ST2 ST3 An operation executes from its start at a worker until its reported end, and then is finished")
    func life() {
        var cluster = Cluster()
        let job = cluster.submit(.op(), .op(on: .after(0)))
        let session = cluster.join("w1")
        #expect(cluster.state(job / 0) == .executing)
        #expect(cluster.started.first?.session == session)
        cluster.finish(job / 0)
        #expect(cluster.last(job / 0)?.outcome == .succeeded)
        #expect(cluster.state(job / 1) == .executing)
        cluster.finish(job / 1)
        #expect(cluster.record.finished[job]?.succeeded == 2)
        #expect(cluster.scheduler.counts.succeeded == 2)
    }

    @Test(
        "ST4 ST8 An attempt with a bad end fails its operation with the reason",
        arguments: [
            (AttemptEnd.exited(3), Reason(.exit, "It exited with status 3.")),
            (.signalled(11), Reason(.signal, "It was ended by signal 11.")),
            (.timedOut, Reason(.timeout, "It ran longer than its timeout of 5s.")),
            (.notStarted("There is no program \"x\"."), Reason(.launch, "There is no program \"x\".")),
            (.unusableResult("Its result is no file."), Reason(.result, "Its result is no file.")),
        ]
    )
    func failures(end: AttemptEnd, reason: Reason) {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), templates: [Template(work: Work(.noOperation, timeout: .seconds(5)))])
        cluster.finish(job / 0, end)
        #expect(cluster.outcome(job / 0) == .failed)
        #expect(cluster.last(job / 0)?.reason == reason)
    }

    @Test("ST5 ST6 ST7 D1 A finished operation never changes, whatever reports or cancellations arrive late")
    func finishedStays() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.op(), .op())
        let attempt = cluster.started[0]
        cluster.finish(job / 0)
        let changes = cluster.record.changes.count
        for end in [AttemptEnd.exited(0), .exited(1), .interrupted] {
            let effects = cluster.report(attempt, end)
            #expect(effects.acknowledgement == .stale)
        }
        #expect(cluster.cancel(.operation(job / 0)) == 0)
        #expect(cluster.record.changes.count == changes)
        #expect(cluster.last(job / 0)?.isCancelled == false)
        #expect(cluster.ends == [job / 0: 1])
        #expect(cluster.order == ["1/0", "1/1"])
    }

    @Test("ST10 An operation that is cancelled before its start never executes")
    func cancelledBefore() {
        var cluster = Cluster()
        let job = cluster.submit(.op())
        cluster.cancel(.operation(job / 0))
        cluster.join("w1")
        #expect(cluster.order.isEmpty)
        #expect(cluster.outcome(job / 0) == .cancelled)
        #expect(cluster.last(job / 0)?.startedAt == nil)
    }

    @Test(
        "A retry waits twice as long each time, give or take a quarter, and takes no slot meanwhile",
        arguments: [0, UInt64.max]
    )
    func retries(seed: UInt64) {
        var cluster = Cluster()
        cluster.setQueue("default", limit: .atMost(1))
        cluster.join("w1", slots: 1)
        let job = cluster.submit(.op(), .op(), templates: [.retrying(3, delay: .seconds(4))])
        cluster.finish(job / 0, .exited(1), seed: seed)
        #expect(cluster.state(job / 0) == .pending)
        #expect(cluster.state(job / 1) == .executing)
        cluster.finish(job / 1)
        for (attempt, wait) in [(2, 4.0), (3, 8.0), (4, 16.0)] {
            let expected = wait * (seed == 0 ? 0.75 : 1.25)
            let due = cluster.last(job / 0)?.notBefore ?? cluster.now
            #expect(abs((due - cluster.now) / .seconds(1) - expected) < 0.001)
            cluster.pass(due - cluster.now)
            #expect(cluster.running[job / 0]?.attempt == UInt32(attempt))
            cluster.finish(job / 0, .exited(1), seed: seed)
        }
        #expect(cluster.outcome(job / 0) == .failed)
        #expect(cluster.last(job / 0)?.attempt == 4)
        #expect(cluster.ends[job / 0] == 1)
    }

    @Test("The wait before a retry never exceeds a day, or the first delay if that is longer")
    func longestWait() {
        for (delay, longest) in [(Duration.seconds(3600), 86_400.0), (.seconds(200_000), 200_000.0)] {
            let patient = Duration.seconds(1_000_000_000)
            var cluster = Cluster(Configuration(suspectAfter: patient, lostAfter: patient))
            cluster.join("w1")
            let job = cluster.submit(.op(), templates: [.retrying(40, delay: delay)])
            for _ in 0..<40 {
                cluster.finish(job / 0, .exited(1), seed: .max)
                let wait = (cluster.last(job / 0)?.notBefore ?? cluster.now) - cluster.now
                #expect(wait > .zero && wait / .seconds(1) <= longest)
                cluster.pass(wait)
            }
        }
    }

    @Test("Each attempt keeps its output, and only an attempt that succeeded keeps its result")
    func outputs() {
        var cluster = Cluster()
        let session = cluster.join("w1")
        let job = cluster.submit(.op(), templates: [.retrying(1, delay: .zero)])
        for status in [2, 0] as [Int32] {
            let result = AttemptResult(
                end: .exited(status),
                standardOutput: OutputTail(totalLength: 2, bytes: [104, 105]),
                result: [7],
                usage: AttemptUsage(processorMicroseconds: Int64(status) + 1, peakMemory: 5)
            )
            let token = cluster.running[job / 0]?.token ?? AttemptToken(rawValue: 0)
            cluster.apply(.attemptEnded(session, token, job / 0, result, seed: 0))
            cluster.apply(.timePassed)
        }
        let outputs = cluster.record.changes.compactMap { change in
            if case .output(let id, let output) = change, id == job / 0 { output } else { nil }
        }
        #expect(outputs.map(\.attempt) == [1, 2])
        #expect(outputs.allSatisfy { $0.standardOutput.totalLength == 2 })
        #expect(outputs.map(\.result) == [nil, [7]])
        #expect(outputs.map(\.usage?.processorMicroseconds) == [3, 1])
        #expect(cluster.last(job / 0)?.exitStatus == 0)
        #expect(cluster.last(job / 0)?.hasResult == true)
    }

    @Test("DE20 With keepResult always, the last attempt leaves its result, also if it failed or was cancelled")
    func keptResults() {
        var cluster = Cluster()
        cluster.join("w1", slots: 3)
        var template = Template.retrying(1, delay: .zero)
        template.work.keepResult = .always
        let job = cluster.submit(
            .op("failed"),
            .op("cancelled"),
            .op("lost"),
            .op(on: .onFailure(0)),
            .op(on: .after(1)),
            templates: [template]
        )
        cluster.finish(job / 0, .exited(1), result: [1])
        // Another attempt follows, and what this one left is no result.
        #expect(cluster.last(job / 0)?.hasResult == false)
        cluster.apply(.timePassed)
        cluster.finish(job / 0, .timedOut, result: [2])
        cluster.finish(job / 1, .cancelled(exitStatus: nil, signal: 15), result: [3])
        cluster.finish(job / 2, .interrupted, result: [4])
        #expect([0, 1, 2].map { cluster.last(job / $0)?.hasResult } == [true, true, false])
        #expect([0, 1].map { cluster.last(job / $0)?.outcome } == [.failed, .cancelled])
        let results = cluster.record.changes.compactMap { change -> [UInt8]? in
            if case .output(_, let output) = change { output.result } else { nil }
        }
        #expect(results == [[2], [3]])
        #expect([3, 4].map { cluster.running[job / $0]?.hasInputs } == [true, true])
    }

    @Test("A time that goes backwards leaves a delayed operation pending, and the largest time is accepted")
    func backwards() {
        var cluster = Cluster(Configuration(forgetLostAfter: nil, sendAhead: .atMost(0)))
        let job = cluster.submit(.op(delay: .seconds(5)))
        cluster.join("w1")
        cluster.now = Timestamp(rawValue: 0)
        cluster.apply(.timePassed)
        #expect(cluster.state(job / 0) == .pending)
        cluster.now = Timestamp(rawValue: .max)
        cluster.apply(.timePassed)
        #expect(cluster.scheduler.allWorkers.map(\.condition) == [.lost])
    }
}

/// The answer to a worker about an attempt.
enum Acknowledgement: Equatable {
    case valid
    case stale
}

extension [Effect] {
    var acknowledgement: Acknowledgement? {
        for case .acknowledge(_, _, let isStale) in self { return isStale ? .stale : .valid }
        return nil
    }

    /// The attempts that workers are told to end.
    var ended: [AttemptToken] {
        flatMap { effect -> [AttemptToken] in
            if case .endAttempts(_, let tokens) = effect { tokens } else { [] }
        }
    }

    /// The attempts that a joining worker is told to forget.
    var stale: [AttemptToken]? {
        for case .welcome(_, let stale, _, _) in self { return stale }
        return nil
    }
}
