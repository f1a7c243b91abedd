@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Waiting attempts of a session")
struct SessionWaitingTests {
    @Test("CA15 As many attempts run as there are slots, and the next starts once an attempt's processes are gone")
    func slots() {
        var driver = SessionDriver.welcomed()
        #expect(driver.dispatch(1, 2, 3, 4).started == [token(1), token(2)])
        let effects = driver.turn(.slotFreed(token(2)), after: WorkerSession.gatheringTime)
        #expect(effects.started == [token(3)])
        #expect(driver.turn(.slotFreed(token(2))).isEmpty, "a slot is freed once")
        let end = driver.turn(.attemptFinished(token(2), result()))
        #expect(end.started.isEmpty, "and not again with the end")
        #expect(end.reportedStarts == [token(3)] && end.completions.map(\.token) == [token(2)])
        #expect(driver.turn(.attemptFinished(token(1), result())).started == [token(4)])
        #expect(driver.turn(.slotFreed(token(9))).isEmpty)
    }

    @Test("An end and the start that follows it are sent in one message")
    func oneReport() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2)
        let effects = driver.turn(.attemptFinished(token(1), result()))
        #expect(effects.reports.count == 1)
        #expect(effects.completions.map(\.token) == [token(1)])
        #expect(effects.reportedStarts == [token(2)])
        #expect(effects.last == .startAttempt(batch([token(2)]).assigned[0]))
    }

    @Test("Reports are gathered for a short time while attempts wait, and the last report is sent at once")
    func gathering() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2, 3, 4)
        let pause = WorkerSession.gatheringTime / 4
        #expect(driver.turn(.attemptFinished(token(1), result()), after: pause).reports.isEmpty)
        #expect(driver.turn(.attemptFinished(token(2), result()), after: pause).reports.isEmpty)
        #expect(driver.session.nextTick == driver.now + WorkerSession.gatheringTime / 2)
        let gathered = driver.passTime()
        #expect(gathered.reports.count == 1)
        #expect(gathered.completions.map(\.token) == [token(1), token(2)])
        #expect(gathered.reportedStarts == [token(3)], "the end of 2 says when it started")
        let last = driver.turn(.attemptFinished(token(3), result()), after: pause)
        #expect(last.completions.map(\.token) == [token(3)], "the coordinator may have something for the worker")
        #expect(last.reportedStarts == [token(4)])
    }

    @Test(
        "Reports are gathered for longer while at least as many attempts wait as have ended, but not for ever",
        arguments: [(3, 2), (9, 8), (16, 8), (17, 9), (24, 12), (31, 16), (40, 20), (94, 47), (95, 48), (120, 48)]
    )
    func longGathering(attempts: UInt64, ended: UInt64) {
        var driver = SessionDriver.welcomed(slots: 1)
        let batch = batch((1...attempts).map { token($0) })
        #expect(driver.receive(.dispatch(batch)).reportedStarts == [token(1)])
        for serial in 1...ended {
            let effects = driver.turn(.attemptFinished(token(serial), result()), after: WorkerSession.gatheringTime / 8)
            guard serial == ended else {
                #expect(effects.reports.isEmpty, "after \(serial)")
                continue
            }
            #expect(effects.completions.map(\.token) == (1...ended).map { token($0) })
        }
    }

    @Test("A failure is reported as soon as without many attempts that wait", arguments: 1...8 as ClosedRange<UInt64>)
    func gatheringOfFailure(failed: UInt64) {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.receive(.dispatch(batch((1...100).map { token($0) })))
        for serial in 1...8 as ClosedRange<UInt64> {
            let end = result(serial == failed ? 1 : 0)
            let effects = driver.turn(.attemptFinished(token(serial), end), after: WorkerSession.gatheringTime / 8)
            #expect(effects.completions.map(\.token) == (serial < 8 ? [] : (1...8).map { token($0) }))
        }
        // The next successes are gathered for longer again.
        let effects = driver.turn(.attemptFinished(token(9), result()), after: WorkerSession.gatheringTime * 2)
        #expect(effects.reports.isEmpty)
    }

    @Test("D5 A recall is answered at once with the start of an attempt that has begun")
    func recallOfStarted() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2, 3)
        #expect(driver.turn(.attemptFinished(token(1), result())).reportedStarts.isEmpty)
        let answer = driver.receive(.recall([token(2)])).reports
        #expect(answer.map { $0.started.map(\.token) } == [[token(2)]])
        #expect(answer.map(\.returned) == [[]])
    }

    @Test("DE20 A waiting attempt's inputs are fetched early, and it is passed over until they have arrived")
    func inputs() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1)
        let effects = driver.dispatch(2, hasInputs: true)
        let operation = OperationID(job: JobNumber(1), index: 2)
        #expect(effects == [.send(.fetchInputs(driver.session.session, token(2), operation))])
        driver.dispatch(3, 4)
        #expect(driver.turn(.attemptFinished(token(1), result())).started == [token(3)])
        #expect(driver.receive(.inputs(token(2), [], isLast: true)).isEmpty)
        #expect(driver.turn(.attemptFinished(token(3), result())).started == [token(2)], "it came before the last")
        #expect(driver.turn(.attemptFinished(token(2), result())).started == [token(4)])
    }

    @Test("D5 A recalled attempt is returned and never starts, even if it is sent again")
    func recall() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2, 3)
        #expect(driver.receive(.recall([token(2)])).reports == [AttemptReport(returned: [token(2)])])
        #expect(driver.receive(.recall([token(2)])).isEmpty)
        #expect(driver.dispatch(2).isEmpty)
        #expect(driver.session.attemptCount == 2)
        #expect(driver.turn(.attemptFinished(token(1), result())).started == [token(3)])
    }

    @Test("An attempt that is sent and recalled in one turn never starts")
    func recallAtOnce() {
        var driver = SessionDriver.welcomed()
        let effects = driver.receive(.dispatch(batch([token(1)])), .recall([token(1)]))
        #expect(effects == [.send(.report(driver.session.session, AttemptReport(returned: [token(1)])))])
    }

    @Test("A recalled attempt that awaits inputs is returned, and its inputs are discarded")
    func recallBeforeInputs() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, hasInputs: true)
        let effects = driver.receive(.recall([token(1)]))
        let report = AttemptReport(returned: [token(1)])
        #expect(effects == [.discardInputs(token(1)), .send(.report(driver.session.session, report))])
        #expect(driver.receive(.inputs(token(1), [Input(name: "a", bytes: [])], isLast: true)).isEmpty)
    }

    @Test("A recalled attempt discards the inputs that have arrived")
    func recallWithInputs() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1)
        driver.dispatch(2, hasInputs: true)
        driver.receive(.inputs(token(2), [], isLast: true))
        #expect(driver.receive(.recall([token(2)])).first == .discardInputs(token(2)))
        #expect(driver.turn(.attemptFinished(token(1), result())).started.isEmpty)
    }

    @Test("A recall does not affect running, finished and acknowledged attempts")
    func recallTooLate() {
        var driver = SessionDriver.welcomed(slots: 3)
        driver.dispatch(1, 2, 3)
        driver.turn(.attemptFinished(token(2), result()), .attemptFinished(token(3), result()))
        driver.receive(.acknowledge([token(3)]))
        #expect(driver.receive(.recall([token(1), token(2), token(3)])).isEmpty)
        #expect(driver.turn(.attemptFinished(token(1), result(1))).completions.map(\.result) == [result(1)])
    }

    @Test(
        "An unknown attempt that is cancelled or recalled is returned, and does not start if it arrives later",
        arguments: [true, false]
    )
    func unknown(isCancelled: Bool) {
        var driver = SessionDriver.welcomed()
        let effects = driver.receive(isCancelled ? .cancel([token(9)]) : .recall([token(9)]))
        #expect(effects.reports == [AttemptReport(returned: [token(9)])])
        #expect(driver.dispatch(9).isEmpty)
    }

    @Test("CA15 A cancelled attempt that has not started is returned without an end")
    func cancel() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2)
        driver.dispatch(3, hasInputs: true)
        let effects = driver.receive(.cancel([token(1), token(2), token(3)]))
        #expect(effects.ended == [token(1)])
        #expect(effects.reports == [AttemptReport(returned: [token(2), token(3)])])
        #expect(driver.turn(.attemptFinished(token(1), result())).started.isEmpty)
    }

    @Test("A waiting attempt starts while the coordinator is away, and the next hello lists it as running")
    func away() throws {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2, 3)
        driver.turn(.connectionLost)
        let effects = driver.turn(.attemptFinished(token(1), result()))
        #expect(effects.started == [token(2)])
        #expect(effects.messages.isEmpty)
        let hello = try #require(driver.connect().hellos.first)
        #expect(hello.attempts.map(\.phase) == [.finished, .running, .waiting])
        #expect(hello.attempts.allSatisfy { !$0.isHook })
        #expect(driver.welcome().reportedStarts.isEmpty, "the hello has said so")
    }

    @Test("A start between a hello and its welcome is reported after the welcome")
    func startedBeforeWelcome() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2, 3)
        driver.receive(.sayHello)
        let effects = driver.turn(.attemptFinished(token(1), result()))
        #expect(effects.started == [token(2)])
        #expect(effects.messages.isEmpty)
        driver.receive(.recall([token(3)]))
        let report = driver.welcome().reports
        #expect(report.map { $0.started.map(\.token) } == [[token(2)]])
        #expect(report.map(\.returned) == [[token(3)]])
        #expect(report.first?.completions.map(\.token) == [token(1)])
    }

    @Test("Events in one turn with a call for a hello are reported once, in the hello or after the welcome")
    func sameTurn() throws {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2, 3)
        let effects = driver.turn(
            .attemptFinished(token(1), result()),
            .message(.recall([token(3)])),
            .message(.sayHello)
        )
        #expect(effects.started == [token(2)])
        #expect(effects.reports.isEmpty)
        let hello = try #require(effects.hellos.first)
        #expect(hello.attempts.map(\.token) == [token(1), token(2)])
        #expect(hello.attempts.map(\.phase) == [.finished, .waiting])
        let reports = driver.welcome().reports
        #expect(reports.map { $0.started.map(\.token) } == [[token(2)]])
        #expect(reports.map(\.returned) == [[]], "the hello does not list it")
        #expect(reports.flatMap(\.completions).map(\.token) == [token(1)])
    }

    @Test("A start that was never reported is in the next hello and is not reported again")
    func startedInVain() throws {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2)
        driver.receive(.sayHello)
        driver.turn(.attemptFinished(token(1), result()))
        driver.turn(.connectionLost)
        let hello = try #require(driver.connect().hellos.first)
        #expect(hello.attempts.map(\.phase) == [.finished, .running])
        #expect(driver.welcome().reportedStarts.isEmpty)
    }

    @Test("D5 Attempts that a welcome recalls are returned and do not start, unless they have started before")
    func recalledByWelcome() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2, 3, 4)
        driver.receive(.sayHello)
        #expect(driver.turn(.attemptFinished(token(1), result())).started == [token(2)])
        let effects = driver.welcome(recalled: [token(2), token(3), token(4)])
        #expect(effects.reports.map { $0.started.map(\.token) } == [[token(2)]])
        #expect(effects.reports.map(\.returned) == [[token(3), token(4)]])
        #expect(driver.turn(.attemptFinished(token(2), result())).started.isEmpty)
    }

    @Test("A waiting stale attempt is dropped, and a started stale attempt keeps its slot until it is gone")
    func stale() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2, 3, 4)
        driver.receive(.sayHello)
        driver.turn(.attemptFinished(token(1), result()))
        let effects = driver.welcome(stale: [token(2), token(3)])
        #expect(effects.ended == [token(2)])
        #expect(effects.reportedStarts.isEmpty)
        #expect(effects.returned.isEmpty)
        #expect(driver.session.attemptCount == 3)
        #expect(driver.dispatch(3).isEmpty)
        #expect(driver.turn(.tick).started.isEmpty, "the stale one occupies its slot until it is gone (CA15)")
        #expect(driver.turn(.slotFreed(token(2))).started == [token(4)])
        let end = driver.turn(.attemptFinished(token(2), result()))
        #expect(end.completions.isEmpty && end.reportedStarts == [token(4)])
    }

    @Test("The waiting line keeps its order through random insertions and removals", arguments: 1...20)
    func line(seed: UInt64) {
        var numbers = SplitMix(seed: seed)
        var line = WaitingLine()
        var expected: [WaitingLine.Place] = []
        var absent: [WaitingLine.Place] = []
        var next: UInt64 = 0
        for _ in 0..<2000 {
            // Mostly later turns than before, as they come; some before those of others, and many alike.
            let turn = next / 4 + UInt64.random(in: 0...5, using: &numbers)
            let place = WaitingLine.Place(turn: turn, arrival: next)
            switch Int.random(in: 0..<8, using: &numbers) {
            case 0...2:
                let isBeforeOthers = line.insert(token(next), at: place)
                #expect(isBeforeOthers == (place < expected.last ?? place), "seed \(seed)")
                expected = (expected + [place]).sorted()
                next += 1
            case 3:
                absent.append(place)
                next += 1
            case 4:
                guard let late = absent.randomElement(using: &numbers) else { continue }
                absent.removeAll { $0 == late }
                line.insert(token(late.arrival), at: late)
                expected = (expected + [late]).sorted()
            case 5:
                let gone = expected.randomElement(using: &numbers) ?? place
                line.remove(at: gone)
                expected.removeAll { $0 == gone }
            default:
                let first = expected.isEmpty ? nil : token(expected.removeFirst().arrival)
                #expect(line.popFirst() == first, "seed \(seed)")
            }
        }
    }
}
