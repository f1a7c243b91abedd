import BatonOperations
import Testing
import BatonWire

@testable import BatonWorker

@Suite("Attempts that wait in a session")
struct SessionWaitingTests {
    @Test("As many run as there are slots, and the next one starts when an attempt's processes are gone (CA15)")
    func slots() {
        var driver = SessionDriver.welcomed()
        #expect(driver.dispatch(1, 2, 3, 4).started == [token(1), token(2)])
        let effects = driver.turn(.slotFreed(token(2)), after: WorkerSession.gatheringTime)
        #expect(effects.started == [token(3)])
        #expect(effects.reports == [AttemptReport(started: [AttemptStart(token(3))])])
        #expect(driver.turn(.slotFreed(token(2))).isEmpty, "a slot is freed once")
        #expect(driver.turn(.attemptFinished(token(2), result())).started.isEmpty, "and not again with the end")
        #expect(driver.turn(.attemptFinished(token(1), result())).started == [token(4)])
        #expect(driver.turn(.slotFreed(token(9))).isEmpty)
    }

    @Test("An end and the start that follows it are one message")
    func oneReport() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2)
        let effects = driver.turn(.attemptFinished(token(1), result()))
        #expect(effects.reports.count == 1)
        #expect(effects.completions.map(\.token) == [token(1)])
        #expect(effects.reportedStarts == [token(2)])
        #expect(effects.last == .startAttempt(batch([token(2)]).items[0], .command, queue: "main"))
    }

    @Test("While others wait for their slots, reports are gathered for a while; the last one is not held up")
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

    @Test("Asked for something back, a worker tells at once what has started (D5)")
    func recallOfStarted() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2, 3)
        #expect(driver.turn(.attemptFinished(token(1), result())).reportedStarts.isEmpty)
        let answer = driver.receive(.recall([token(2)])).reports
        #expect(answer.map { $0.started.map(\.token) } == [[token(2)]])
        #expect(answer.map(\.returned) == [[]])
    }

    @Test("Inputs are fetched while an attempt waits, and it is passed over until they are here (DE20)")
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

    @Test("Recalled, what waits is given back and never starts, also if it is sent again (D5)")
    func recall() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2, 3)
        #expect(driver.receive(.recall([token(2)])).reports == [AttemptReport(returned: [token(2)])])
        #expect(driver.receive(.recall([token(2)])).isEmpty)
        #expect(driver.dispatch(2).isEmpty)
        #expect(driver.session.heldCount == 2)
        #expect(driver.turn(.attemptFinished(token(1), result())).started == [token(3)])
    }

    @Test("Sent and recalled in one turn, it never starts")
    func recallAtOnce() {
        var driver = SessionDriver.welcomed()
        let effects = driver.receive(.dispatch(batch([token(1)])), .recall([token(1)]))
        #expect(effects == [.send(.report(driver.session.session, AttemptReport(returned: [token(1)])))])
    }

    @Test("Recalled, one that awaits its inputs is given back with what came of them")
    func recallBeforeInputs() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, hasInputs: true)
        let effects = driver.receive(.recall([token(1)]))
        let report = AttemptReport(returned: [token(1)])
        #expect(effects == [.discardInputs(token(1)), .send(.report(driver.session.session, report))])
        #expect(driver.receive(.inputs(token(1), [Input(name: "a", bytes: [])], isLast: true)).isEmpty)
    }

    @Test("Recalled, one whose inputs are here does not leave them behind")
    func recallWithInputs() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1)
        driver.dispatch(2, hasInputs: true)
        driver.receive(.inputs(token(2), [], isLast: true))
        #expect(driver.receive(.recall([token(2)])).first == .discardInputs(token(2)))
        #expect(driver.turn(.attemptFinished(token(1), result())).started.isEmpty)
    }

    @Test("A recall leaves alone what runs, what is over, and what was forgotten")
    func recallTooLate() {
        var driver = SessionDriver.welcomed(slots: 3)
        driver.dispatch(1, 2, 3)
        driver.turn(.attemptFinished(token(2), result()), .attemptFinished(token(3), result()))
        driver.receive(.acknowledge([token(3)]))
        #expect(driver.receive(.recall([token(1), token(2), token(3)])).isEmpty)
        #expect(driver.turn(.attemptFinished(token(1), result(1))).completions.map(\.result) == [result(1)])
    }

    @Test("An attempt that is not known is given back, and does not start if it comes late", arguments: [true, false])
    func unknown(isCancelled: Bool) {
        var driver = SessionDriver.welcomed()
        let effects = driver.receive(isCancelled ? .cancel([token(9)]) : .recall([token(9)]))
        #expect(effects.reports == [AttemptReport(returned: [token(9)])])
        #expect(driver.dispatch(9).isEmpty)
    }

    @Test("Cancelled, what has not started is given back without an end (CA15)")
    func cancel() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2)
        driver.dispatch(3, hasInputs: true)
        let effects = driver.receive(.cancel([token(1), token(2), token(3)]))
        #expect(effects.ended == [token(1)])
        #expect(effects.reports == [AttemptReport(returned: [token(2), token(3)])])
        #expect(driver.turn(.attemptFinished(token(1), result())).started.isEmpty)
    }

    @Test("What waits goes on starting while the coordinator is away, and the next hello says so")
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

    @Test("What starts between a hello and its answer is reported behind that")
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

    @Test("What comes in one turn with the call for a hello is reported once, by the hello or behind its answer")
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

    @Test("What was started before and reported to nobody is not reported to a later session either")
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

    @Test("D5 What a welcome asks back is given back before anything starts, unless it has started by then")
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

    @Test("What waits and is stale is dropped at once, and one that has just started is not reported")
    func stale() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2, 3, 4)
        driver.receive(.sayHello)
        driver.turn(.attemptFinished(token(1), result()))
        let effects = driver.welcome(stale: [token(2), token(3)])
        #expect(effects.ended == [token(2)])
        #expect(effects.reportedStarts.isEmpty)
        #expect(effects.returned.isEmpty)
        #expect(driver.session.heldCount == 3)
        #expect(driver.dispatch(3).isEmpty)
        #expect(driver.turn(.tick).started.isEmpty, "the stale one holds its slot until it is gone (CA15)")
        #expect(driver.turn(.slotFreed(token(2))).started == [token(4)])
        #expect(driver.turn(.attemptFinished(token(2), result())).isEmpty)
    }

    @Test("Any order of arrivals, removals and starts keeps the line in order", arguments: 1...20)
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
