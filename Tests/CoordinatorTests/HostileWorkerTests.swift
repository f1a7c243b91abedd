@_spi(Baton) import BatonKeys
import BatonMemoryDisk
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonTestValues
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ
import Foundation
import Testing

@_spi(Baton) @testable import BatonCoordinator

/// D8: a worker's key permits to take work and to report it, and nothing about the work of a worker with another key.
///
/// `BATON_TEST_SEED` repeats one history.
@Suite("A hostile worker", .timeLimit(.minutes(60)))
struct HostileWorkerTests {
    private static let histories: UInt64 = 1_000

    @Test("D8 A worker that says everything about everything changes nothing of a worker with another key")
    func everything() throws {
        let variables = ProcessInfo.processInfo.environment
        let first = variables["BATON_TEST_SEED"].flatMap(UInt64.init)
        let seeds = first.map { $0...$0 } ?? 1...Self.histories
        for seed in seeds {
            var run = try HostileRun(seed: seed)
            let found = try run.perform()
            #expect(found.isEmpty, "seed \(seed): \(found.joined(separator: "; "))")
            guard found.isEmpty else { return }
        }
    }

    @Test("D8 Results are for the worker that was sent the operation which needs them")
    func inputs() throws {
        let scene = try HostileScene()
        let (honest, hostile) = (try scene.join(.honest), try scene.join(.hostile, slots: 0))
        scene.submit(.noOperations([[], [0]]))
        let first = try #require(scene.dispatched(to: .honest).first)
        scene.say(
            .report(honest, AttemptReport(completions: [.success(first.token, first.operation, [1, 2, 3])])),
            as: .honest
        )
        let second = try #require(scene.dispatched(to: .honest).last { $0.operation.index == 1 })
        scene.takeMessages()
        for session in [hostile, honest] {
            scene.say(.fetchInputs(session, second.token, second.operation), as: .hostile)
            scene.say(.fetchTypedInputs(session, second.token, second.operation), as: .hostile)
        }
        #expect(scene.inputs(for: .hostile).isEmpty && scene.inputs(for: .honest).isEmpty)
        // An attempt of its own does not open the inputs of another operation, nor does a made-up one.
        scene.say(.fetchInputs(honest, second.token, first.operation), as: .honest)
        #expect(scene.inputs(for: .honest).isEmpty)
        scene.say(.fetchInputs(honest, second.token, second.operation), as: .honest)
        #expect(scene.inputs(for: .honest) == [second.token])
    }

    @Test(
        "D8 The name of a worker with another key is refused, also with --replace and its identity, until an administrator frees it",
        arguments: [true, false]
    )
    func replaces(_ replaces: Bool) throws {
        let scene = try HostileScene()
        let honest = try scene.join(.honest)
        scene.submit(
            Submission(templates: [Template(work: Work(.noOperation), restart: .never)], entries: [Entry()])
        )
        let attempt = try #require(scene.dispatched(to: .honest).first)
        scene.say(.report(honest, AttemptReport(started: [AttemptStart(attempt.token)])), as: .honest)
        scene.takeMessages()
        for id in [HostileScene.Actor.hostile.id, HostileScene.Actor.honest.id, .unknown] {
            let hello = scene.hello(.hostile, named: "honest", id: id, replaces: replaces)
            scene.say(.hello(hello), as: .hostile)
            let refusal = try #require(scene.refusals(of: .hostile).last)
            #expect(refusal.code == .notAllowed && refusal.message.contains("another key"))
        }
        // The identity alone gives the keys of the operations of its worker.
        scene.say(.hello(scene.hello(.hostile, named: "other", id: HostileScene.Actor.honest.id)), as: .hostile)
        #expect(scene.refusals(of: .hostile).last?.message.contains("identity") == true)
        #expect(scene.messages(to: .honest).isEmpty)
        scene.say(
            .report(honest, AttemptReport(completions: [.success(attempt.token, attempt.operation)])),
            as: .honest
        )
        #expect(try scene.record(attempt.operation)?.outcome == .succeeded)

        // A lost worker keeps its name until it is forgotten.
        scene.pass(.seconds(60))
        scene.say(.hello(scene.hello(.hostile, named: "honest")), as: .hostile)
        #expect(scene.refusals(of: .hostile).last?.code == .notAllowed)
        scene.ask(.forget(["honest"]))
        scene.say(.hello(scene.hello(.hostile, named: "honest")), as: .hostile)
        #expect(scene.core.scheduler.session(ofWorker: "honest") != nil)
    }

    @Test("D8 The revocation of a key frees the names of its workers, lost ones included", arguments: [true, false])
    func revoked(isLost: Bool) throws {
        let scene = try HostileScene()
        _ = try scene.join(.honest)
        if isLost { scene.pass(.seconds(60)) }
        scene.core.expelWorkers(of: [scene.requester(.honest)], at: scene.now)
        scene.say(.hello(scene.hello(.hostile, named: "honest")), as: .hostile)
        #expect(scene.core.scheduler.session(ofWorker: "honest") != nil)
    }

    @Test("D8 A message in the session of another key is answered with a request for a hello, and the session goes on")
    func otherSession() throws {
        let scene = try HostileScene()
        let honest = try scene.join(.honest)
        scene.submit(.noOperations([[]]))
        let attempt = try #require(scene.dispatched(to: .honest).first)
        scene.takeMessages()
        let messages: [WorkerMessage] = [
            .heartbeat(honest, number: 7), .report(honest, AttemptReport(started: [AttemptStart(attempt.token)])),
            .report(honest, AttemptReport(returned: [attempt.token])), .health(honest, fault: "It broke."),
            .report(honest, AttemptReport(completions: [.success(attempt.token, attempt.operation)])),
            .distance(honest, roundTrip: 1_000_000), .leaving(honest), .goodbye(honest),
            .stops(honest, [AttemptStop(token: attempt.token, operation: attempt.operation, signal: 19)]),
            .progress(honest, [AttemptProgress(attempt.token, OperationProgress(fraction: 1))]),
            .hello(scene.hello(.hostile, session: honest)),
        ]
        for message in messages {
            scene.say(message, as: .hostile)
            #expect(scene.messages(to: .hostile).allSatisfy { $0 == .sayHello }, "\(message)")
            #expect(scene.messages(to: .honest).isEmpty, "\(message)")
            scene.takeMessages()
        }
        #expect(scene.core.scheduler.worker(named: "honest")?.condition == .alive)
        #expect(scene.core.possession(of: attempt.token, attempt.operation, in: honest) == .held)
        // Another connection of the same worker speaks for the session, as after a break of the network.
        scene.say(.heartbeat(honest, number: 8), as: .honest, over: 2)
        #expect(scene.core.scheduler.isCurrent(honest))
    }

    @Test(
        "D8 The history of a worker has the ends of its own attempts, each once, and stops of its own attempts alone are shown"
    )
    func history() throws {
        let scene = try HostileScene()
        let (honest, hostile) = (try scene.join(.honest), try scene.join(.hostile))
        scene.submit(.noOperations([[], []]))
        let attempt = try #require(scene.dispatched(to: .honest).first)
        let own = try #require(scene.dispatched(to: .hostile).first)
        scene.say(.report(honest, AttemptReport(started: [AttemptStart(attempt.token)])), as: .honest)
        scene.say(
            .stops(hostile, [AttemptStop(token: attempt.token, operation: attempt.operation, signal: 19)]),
            as: .hostile
        )
        #expect(scene.core.stoppedOperations.isEmpty)
        let foreign = Completion.success(attempt.token, attempt.operation)
        let madeUp = Completion.success(AttemptToken(epoch: 1, serial: 99), OperationID(job: JobNumber(7), index: 3))
        scene.say(.report(hostile, AttemptReport(completions: [foreign, madeUp])), as: .hostile)
        #expect(scene.core.workerDocument("hostile")?.ended.isEmpty == true)
        let end = Completion.success(own.token, own.operation)
        for _ in 1...2 { scene.say(.report(hostile, AttemptReport(completions: [end])), as: .hostile) }
        #expect(scene.core.workerDocument("hostile")?.ended.map(\.operation) == [own.operation])
        #expect(scene.core.workerDocument("hostile")?.succeeded == 1)

        // After a restart, it claims an operation that was never sent to it, and that nothing explains.
        scene.submit(.noOperations([[], [0]]))
        let waiting = OperationID(job: JobNumber(attempt.operation.job.rawValue + 1), index: 1)
        try scene.restart()
        let token = AttemptToken(
            epoch: attempt.token.epoch,
            serial: attempt.token.serial + 1_000,
            of: attempt.token.incarnation
        )
        let claim = ClaimedAttempt(token: token, operation: waiting, attempt: 1, phase: .finished)
        let session = try scene.join(.hostile, attempts: [claim])
        #expect(scene.core.possession(of: token, waiting, in: session) == .claimed)
        let undecided = Completion.success(token, waiting)
        for _ in 1...2 { scene.say(.report(session, AttemptReport(completions: [undecided])), as: .hostile) }
        #expect(scene.core.workerDocument("hostile")?.ended.isEmpty == true)
    }

    @Test("D8 A worker's fault is shown in at most a thousand bytes")
    func longFault() throws {
        let scene = try HostileScene()
        let hostile = try scene.join(.hostile)
        scene.say(.health(hostile, fault: String(repeating: "é", count: 60_000)), as: .hostile)
        let fault = try #require(scene.core.scheduler.worker(named: "hostile")?.fault)
        #expect(fault.utf8.count <= 1_024 && fault.hasSuffix("é…"))
    }

    @Test("D8 An end of somebody else's attempt, however often it is repeated in a report, is answered once")
    func repeatedEnds() throws {
        let scene = try HostileScene()
        let hostile = try scene.join(.hostile)
        let madeUp = AttemptToken(epoch: 1, serial: 99)
        let end = Completion.success(madeUp, OperationID(job: JobNumber(7), index: 3))
        scene.takeMessages()
        scene.say(
            .report(hostile, AttemptReport(completions: Array(repeating: end, count: 10_000))),
            as: .hostile
        )
        let answered = scene.messages(to: .hostile).flatMap { message -> [AttemptToken] in
            if case .acknowledge(let tokens) = message { tokens } else { [] }
        }
        #expect(answered == [madeUp])
        #expect(scene.core.lateResults.isEmpty, "the log tells the first at once")
        for _ in 1...3 { scene.say(.report(hostile, AttemptReport(completions: [end])), as: .hostile) }
        #expect(!scene.core.lateResults.isEmpty, "and the others together")
        scene.pass(LateResults.interval)
        #expect(scene.core.lateResults.isEmpty)
    }

    @Test(
        "The log tells of a worker's late results once in ten seconds, with their number, and of other workers meanwhile"
    )
    func lateResults() {
        func at(_ seconds: Int64) -> Timestamp { Timestamp(rawValue: seconds * 1_000_000) }
        let tokens = (1...4).map { AttemptToken(epoch: 1, serial: $0) }
        var results = LateResults()
        results.note(tokens[0], of: "a")
        #expect(results.takeDue(at: at(0)) == [LateResults.Line(worker: "a", first: tokens[0], count: 1)])
        results.note(tokens[1], of: "a")
        results.note(tokens[2], of: "a")
        results.note(tokens[3], of: "b")
        #expect(results.takeDue(at: at(9)) == [LateResults.Line(worker: "b", first: tokens[3], count: 1)])
        #expect(!results.isEmpty)
        #expect(results.takeDue(at: at(10)) == [LateResults.Line(worker: "a", first: tokens[1], count: 2)])
        #expect(results.isEmpty)
    }

    @Test("D8 Of the progress of an attempt, a message counts once, and the last entry")
    func repeatedProgress() throws {
        let scene = try HostileScene()
        let hostile = try scene.join(.hostile)
        scene.submit(.noOperations([[]]))
        let attempt = try #require(scene.dispatched(to: .hostile).first)
        scene.say(.report(hostile, AttemptReport(started: [AttemptStart(attempt.token)])), as: .hostile)
        let list = (0...1_000).map { AttemptProgress(attempt.token, OperationProgress(fraction: Double($0) / 1_000)) }
        scene.say(.progress(hostile, list), as: .hostile)
        let told = try scene.store.events(after: 0, limit: 9_999).compactMap { event -> OperationProgress? in
            guard case .operations(_, _, .progress(let progress)) = event.subject else { return nil }
            return progress
        }
        #expect(told == [OperationProgress(fraction: 1)])
    }

    @Test(
        "D8 A stop that is repeated, has no signal or is older than its attempt takes no room, and is shown as it can be"
    )
    func stops() throws {
        let scene = try HostileScene()
        let hostile = try scene.join(.hostile)
        scene.submit(.noOperations([[], []]))
        let attempts = scene.dispatched(to: .hostile)
        try #require(attempts.count == 2)
        scene.say(.report(hostile, AttemptReport(started: attempts.map { AttemptStart($0.token) })), as: .hostile)
        let begin = scene.now
        scene.pass(.seconds(5))
        func stop(_ index: Int, _ signal: Int32) -> AttemptStop {
            AttemptStop(
                token: attempts[index].token,
                operation: attempts[index].operation,
                signal: signal,
                age: 315_360_000_000_000
            )
        }
        let list = Array(repeating: stop(0, 19), count: 10_000) + [stop(0, 21), stop(1, -2_000_000_000), stop(1, 0)]
        scene.say(.stops(hostile, list), as: .hostile)
        #expect(scene.core.workers.stoppedAttempts.map { $0.stop.signal } == [21])
        let shown = scene.core.stoppedOperations
        #expect(shown.map(\.operation) == [attempts[0].operation])
        #expect(shown.first?.stop.since == begin)
    }

    @Test("D8 A key that tells as much of its workers as it may leaves room for the workers of another key")
    func names() throws {
        let scene = try HostileScene()
        let types = (0..<1_024).map { "t\($0)" + String(repeating: "x", count: 190) }
        var connection: UInt64 = 0
        /// Lets workers with this many types join until one is refused.
        func fill(_ count: Int, atMost most: Int) -> Refusal? {
            for _ in 0..<most {
                connection += 1
                let hello = scene.hello(
                    .hostile,
                    named: "h\(connection)",
                    id: WorkerID(rawValue: 10_000 + connection),
                    types: Array(types.prefix(count))
                )
                scene.say(.hello(hello), as: .hostile, over: connection)
                if let refusal = scene.refusals(of: .hostile).first { return refusal }
                scene.takeMessages()
            }
            return nil
        }
        let refusal = try #require(fill(1_024, atMost: 300))
        #expect(connection < 150)
        #expect(refusal.message.hasPrefix("The workers with this key have told so much of themselves"))
        // Each worker may tell a little, whatever the others tell.
        for count in [100, 10, 1, 0] {
            scene.takeMessages()
            let refusal = fill(count, atMost: 30)
            #expect(refusal == nil || count == 100, "\(count) types")
        }
        _ = try scene.join(.honest)
        let other = scene.hello(.honest, named: "other", id: WorkerID(rawValue: 9_999), types: types)
        scene.say(.hello(other), as: .honest, over: 2)
        #expect(scene.core.scheduler.session(ofWorker: "other") == other.session)
        #expect(scene.core.violations.isEmpty)
    }

    @Test("D8 A connection speaks for one worker: a hello under another name takes the earlier worker off the list")
    func severalNames() throws {
        let scene = try HostileScene()
        let types = (0..<100).map { "t\($0)" }
        let none = scene.core.scheduler.introductionBytes
        var one = 0
        for number in 1...9 {
            let hello = scene.hello(.hostile, named: "h\(number)", types: types)
            scene.say(.hello(hello), as: .hostile)
            #expect(scene.core.scheduler.session(ofWorker: "h\(number)") == hello.session)
            #expect(scene.core.scheduler.workerCount == 1)
            if number == 1 { one = scene.core.scheduler.introductionBytes }
            #expect(scene.core.scheduler.introductionBytes == one)
            // The same worker over the same connection replaces its session, as after a request for a hello.
            let again = scene.hello(.hostile, named: "h\(number)", types: types)
            scene.say(.hello(again), as: .hostile)
            #expect(scene.core.scheduler.session(ofWorker: "h\(number)") == again.session)
            #expect(scene.core.scheduler.introductionBytes == one)
        }
        #expect(one > none)
        // Another connection may speak for another worker.
        scene.say(.hello(scene.hello(.hostile, named: "second")), as: .hostile, over: 2)
        #expect(scene.core.scheduler.workerCount == 2)
    }

    /// The events about a worker in the record.
    private func events(about name: String, in scene: HostileScene) throws -> Int {
        try scene.store.events(after: 0, limit: 99_999).count { event in
            if case .worker(name, _) = event.subject { true } else { false }
        }
    }

    @Test("D8 The record has the first of a thousand appearances of a worker, and an honest worker waits for nothing")
    func appearances() throws {
        let scene = try HostileScene()
        for _ in 1...1_000 {
            let hello = scene.hello(.hostile)
            scene.say(.hello(hello), as: .hostile)
            scene.say(.goodbye(hello.session), as: .hostile)
        }
        let told = try events(about: "hostile", in: scene)
        #expect(told > 0 && told <= 40)
        // Another connection with the same key and name changes nothing.
        for connection in 2...100 as ClosedRange<UInt64> {
            let hello = scene.hello(.hostile)
            scene.say(.hello(hello), as: .hostile, over: connection)
            scene.say(.goodbye(hello.session), as: .hostile, over: connection)
        }
        #expect(try events(about: "hostile", in: scene) == told)
        for _ in 1...5 { scene.say(.goodbye(try scene.join(.honest)), as: .honest) }
        _ = try scene.join(.honest)
        // What has left is not welcomed later, and the answer to the last hello comes.
        scene.pass(.seconds(10))
        #expect(try events(about: "hostile", in: scene) == told)
        for _ in 1...30 { scene.say(.hello(scene.hello(.hostile)), as: .hostile) }
        let last = scene.hello(.hostile)
        scene.say(.hello(last), as: .hostile)
        #expect(scene.core.scheduler.session(ofWorker: "hostile") != last.session)
        scene.pass(.seconds(10))
        #expect(scene.core.scheduler.session(ofWorker: "hostile") == last.session)
    }

    @Test("D8 The refusals of a worker whose name is another's are told in the log and answered at a bounded rate")
    func refusedHellos() throws {
        let scene = try HostileScene()
        _ = try scene.join(.honest)
        for _ in 1...1_000 { scene.say(.hello(scene.hello(.hostile, named: "honest")), as: .hostile) }
        #expect(scene.refusals(of: .hostile).count == 20)
        scene.pass(.seconds(3))
        #expect(scene.refusals(of: .hostile).count == 21)
    }

    @Test(
        "D8 A hello that waits is dropped with its connection, and with the revocation of its key",
        arguments: [true, false]
    )
    func withdrawnHello(isRevoked: Bool) throws {
        let scene = try HostileScene()
        for _ in 1...20 {
            let hello = scene.hello(.hostile)
            scene.say(.hello(hello), as: .hostile)
            scene.say(.goodbye(hello.session), as: .hostile)
        }
        scene.say(.hello(scene.hello(.hostile)), as: .hostile)
        let due = try #require(scene.core.appearances.nextDeadline)
        #expect(due > scene.now && scene.core.nextDeadline <= due, "the loop wakes up for the hello")
        if isRevoked {
            scene.core.expelWorkers(of: [scene.requester(.hostile)], at: scene.now)
        } else {
            scene.disconnect(.hostile)
        }
        scene.pass(.seconds(10))
        #expect(scene.core.scheduler.session(ofWorker: "hostile") == nil)
        #expect(scene.core.appearances.nextDeadline == nil)
    }

    @Test("D8 Of a thousand faults and recoveries of a worker, the record has the first, and the last one holds")
    func manyFaults() throws {
        let scene = try HostileScene()
        let hostile = try scene.join(.hostile)
        for number in 1...1_000 {
            scene.say(.health(hostile, fault: number % 2 == 0 ? nil : "It broke."), as: .hostile)
        }
        scene.say(.health(hostile, fault: "At last."), as: .hostile)
        #expect(try events(about: "hostile", in: scene) <= 30)
        scene.pass(.seconds(5))
        #expect(scene.core.scheduler.worker(named: "hostile")?.fault == "At last.")
        #expect(try events(about: "hostile", in: scene) <= 30)
    }

    @Test("A health report that counts later is no sign of life, and nothing at all once its worker is gone")
    func lateHealth() throws {
        let scene = try HostileScene()
        let hostile = try scene.join(.hostile)
        func reportOften() {
            for number in 1...31 {
                scene.say(.health(hostile, fault: number % 2 == 0 ? nil : "It broke."), as: .hostile)
            }
        }
        reportOften()
        let heardAt = try #require(scene.core.scheduler.worker(named: "hostile")?.lastHeardAt)
        scene.pass(.seconds(5))
        let worker = try #require(scene.core.scheduler.worker(named: "hostile"))
        #expect(worker.fault == "It broke." && worker.lastHeardAt == heardAt)
        reportOften()
        #expect(scene.core.appearances.nextDeadline != nil)
        scene.say(.hello(scene.hello(.hostile, named: "other")), as: .hostile)
        #expect(!scene.core.scheduler.isListed("hostile"))
        scene.takeMessages()
        scene.pass(.seconds(5))
        #expect(!scene.messages(to: .hostile).contains { if case .sayHello = $0 { true } else { false } })
    }

    @Test("D8 Bytes that a worker was not asked for are no answer to a request for its output")
    func output() throws {
        let scene = try HostileScene()
        let hostile = try scene.join(.hostile)
        scene.submit(.noOperations([[]]))
        let attempt = try #require(scene.dispatched(to: .hostile).first)
        scene.say(.report(hostile, AttemptReport(started: [AttemptStart(attempt.token)])), as: .hostile)
        for chunk in [
            OutputChunk(offset: 0, bytes: [1, 2], totalLength: 99, isComplete: false),
            OutputChunk(offset: 10, bytes: Array(repeating: 1, count: 9), totalLength: 99, isComplete: false),
        ] {
            scene.takeMessages()
            scene.ask(.log(.operation(attempt.operation), attempt: nil, .standardOutput, offset: 10, limit: 8))
            guard case .readOutput(let request, _, _, _, _, _)? = scene.messages(to: .hostile).last else {
                Issue.record("the worker is not asked")
                return
            }
            scene.say(.output(request: request, chunk), as: .hostile)
            guard case .refused(let refusal)? = scene.replies.last else {
                Issue.record("\(scene.replies)")
                return
            }
            #expect(refusal.code == .unavailable)
        }
    }
}

extension Completion {
    /// The end of an attempt that left a result.
    fileprivate static func success(_ token: AttemptToken, _ operation: OperationID, _ result: [UInt8]) -> Completion {
        Completion(token: token, operation: operation, result: AttemptResult(end: .exited(0), result: result))
    }
}
