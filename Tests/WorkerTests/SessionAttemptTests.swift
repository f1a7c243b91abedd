@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Attempts of a session")
struct SessionAttemptTests {
    @Test("A session reports dispatched attempts as started, and starts them in their order")
    func dispatch() {
        var driver = SessionDriver.welcomed()
        let attempts = batch([token(1), token(2)]).assigned
        let report = AttemptReport(started: [AttemptStart(token(1)), AttemptStart(token(2))])
        let starts = attempts.map { WorkerSession.Effect.startAttempt($0) }
        #expect(driver.dispatch(1, 2) == [.send(.report(driver.session.session, report))] + starts)
    }

    @Test("Operations without work take no slot and are completed in one message")
    func noOperation() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1)
        driver.receive(.dispatch(batch([token(2), token(3)], work: Work(.noOperation), hasInputs: true)))
        let effects = driver.turn(.slotFreed(token(1)))
        let completions = [2, 3].map { number in
            Completion(
                token: token(number),
                operation: OperationID(job: JobNumber(1), index: UInt32(number)),
                result: AttemptResult(end: .exited(0))
            )
        }
        let report = AttemptReport(completions: completions)
        #expect(effects == [.send(.report(driver.session.session, report))])
        #expect(driver.dispatch(4).started == [token(4)], "it occupies no slot")
    }

    // A report between the two turns told of more executing attempts than the worker has slots.
    @Test("The start of an attempt is reported together with the end of the one whose slot it has")
    func startWithEnd() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2)
        driver.now += .seconds(1)
        driver.session.handle(.slotFreed(token(1)), now: driver.now, random: 1)
        let effects = driver.session.finishTurn(now: driver.now, holdsReports: true)
        #expect(effects.started == [token(2)] && effects.reports.isEmpty)
        let reports = driver.turn(.attemptFinished(token(1), result()), after: .seconds(1)).reports
        #expect(reports.count == 1)
        #expect(reports.first?.started.map(\.token) == [token(2)])
        #expect(reports.first?.completions.map(\.token) == [token(1)])
    }

    // 'status' told of four executing operations on two slots while the results of two were being stored.
    @Test("ST3 A start is not told while that would tell of more executing attempts than there are slots")
    func withheldStart() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, 2, 3, 4)
        let freed = driver.turn(.slotFreed(token(1)), .slotFreed(token(2)), after: .milliseconds(100))
        #expect(freed.started == [token(3), token(4)] && freed.reports.isEmpty)
        #expect(driver.session.nextTick.map { $0 > driver.now } == true, "nothing is due")
        let first = driver.turn(.attemptFinished(token(2), result()), after: .milliseconds(200))
        #expect(first.reports.map { $0.started } == [[AttemptStart(token(3), age: 200_000)]])
        #expect(first.completions.map(\.token) == [token(2)])
        let last = driver.turn(.attemptFinished(token(1), result()), after: .milliseconds(100))
        #expect(last.reports.map { $0.started } == [[AttemptStart(token(4), age: 300_000)]])
        #expect(last.completions.map(\.token) == [token(1)])
    }

    @Test("A recall and a stop tell of a start that was withheld")
    func askedForStart() {
        for event in [WorkerSession.Event.message(.recall([token(2)])), .attemptsStopped([token(2): 19])] {
            var driver = SessionDriver.welcomed(slots: 1)
            driver.dispatch(1, 2)
            #expect(driver.turn(.slotFreed(token(1)), after: .milliseconds(100)).reports.isEmpty)
            #expect(driver.turn(event).reportedStarts == [token(2)])
            let ended = driver.turn(.attemptFinished(token(1), result()), after: .milliseconds(100))
            #expect(ended.completions.map(\.token) == [token(1)] && ended.reportedStarts.isEmpty)
        }
    }

    @Test("An attempt that is sent several times runs once, also after its end and its acknowledgement")
    func dispatchedTwice() {
        var driver = SessionDriver.welcomed()
        #expect(driver.dispatch(1).started == [token(1)])
        #expect(driver.dispatch(1).started == [])
        driver.turn(.attemptFinished(token(1), result()))
        #expect(driver.dispatch(1).started == [])
        driver.receive(.acknowledge([token(1)]))
        #expect(driver.session.attemptCount == 0)
        #expect(driver.dispatch(1).started == [])
        #expect(driver.dispatch(2).started == [token(2)])
    }

    @Test("A dispatched item that refers to a missing work is ignored")
    func brokenItem() {
        var driver = SessionDriver.welcomed()
        var broken = batch([token(1), token(2)])
        broken.items[0].work = 5
        #expect(driver.receive(.dispatch(broken)).started == [token(2)])
        #expect(driver.session.attemptCount == 1)
    }

    @Test("Completions of one turn are sent in one message, in the order of the ends")
    func batching() {
        var driver = SessionDriver.welcomed(slots: 3)
        driver.dispatch(1, 2, 3)
        let effects = driver.turn(
            .attemptFinished(token(3), result(3)),
            .attemptFinished(token(1), result(1)),
            .attemptFinished(token(2), result(2))
        )
        #expect(effects.messages.count == 1)
        #expect(effects.completions.map(\.token) == [token(3), token(1), token(2)])
        #expect(effects.completions.map(\.result) == [result(3), result(1), result(2)])
        #expect(effects.completions.map(\.operation.index) == [3, 1, 2])
        #expect(driver.turn(.tick).isEmpty, "nothing is sent twice in a session")
    }

    @Test("Large completions are split into messages below 8 MiB")
    func splitting() {
        var driver = SessionDriver.welcomed(slots: 20)
        var large = result()
        large.result = [UInt8](repeating: 1, count: AttemptResult.maximumResultLength)
        large.standardOutput = OutputTail(totalLength: 1 << 30, bytes: [UInt8](repeating: 2, count: 65_536))
        let tokens = (1...20).map { token($0) }
        driver.receive(.dispatch(batch(tokens)))
        for token in tokens { driver.session.handle(.attemptFinished(token, large), now: driver.now, random: 0) }
        let effects = driver.turn()
        #expect(effects.completions.map(\.token) == tokens)
        #expect(effects.messages.count > 1)
        for message in effects.messages { #expect(message.encoded().count < 8 << 20) }
    }

    @Test("A completion is sent again after each welcome until it is acknowledged")
    func resending() throws {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, 2)
        #expect(driver.turn(.attemptFinished(token(1), result())).completions.map(\.token) == [token(1)])
        driver.turn(.connectionLost)
        #expect(driver.turn(.attemptFinished(token(2), result())).isEmpty)
        let hello = try #require(driver.connect().hellos.first)
        #expect(hello.attempts.map(\.phase) == [.finished, .finished])
        #expect(driver.welcome().completions.map(\.token) == [token(1), token(2)])
        driver.receive(.acknowledge([token(1), token(99)]))
        #expect(try #require(driver.receive(.sayHello).hellos.first).attempts.map(\.token) == [token(2)])
        #expect(driver.welcome().completions.map(\.token) == [token(2)])
        driver.receive(.acknowledge([token(2)]))
        #expect(driver.session.attemptCount == 0)
    }

    @Test("Stale attempts of a welcome are ended or dropped, and their results are not sent")
    func stale() throws {
        var driver = SessionDriver.welcomed(slots: 3)
        driver.dispatch(1, 2, 3)
        driver.turn(.attemptFinished(token(1), result()))
        driver.receive(.sayHello)
        let effects = driver.welcome(stale: [token(1), token(2), token(42)])
        #expect(effects.completions.isEmpty)
        #expect(effects.ended == [token(2)])
        #expect(driver.session.attemptCount == 2)
        #expect(driver.turn(.attemptFinished(token(2), result())).isEmpty)
        #expect(driver.session.attemptCount == 1)
        #expect(try #require(driver.receive(.sayHello).hellos.first).attempts.map(\.token) == [token(3)])
    }

    @Test("A stale attempt that still runs is not in the next hello")
    func staleIsNotListed() throws {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        driver.receive(.sayHello)
        driver.welcome(stale: [token(1)])
        #expect(try #require(driver.receive(.sayHello).hellos.first).attempts.isEmpty)
    }

    @Test("CA4 CA9 A cancellation ends a running attempt once, and does nothing to a finished attempt")
    func cancel() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, 2)
        driver.turn(.attemptFinished(token(2), result()))
        #expect(driver.receive(.cancel([token(1), token(2)])) == [.endAttempt(token(1), .cancelled)])
        #expect(driver.receive(.cancel([token(1)])).isEmpty)
        let ended = driver.turn(.attemptFinished(token(1), AttemptResult(end: .signalled(15))))
        #expect(ended.completions.map(\.result.end) == [.signalled(15)])
    }

    @Test("DE20 An attempt starts once its inputs have been fetched")
    func inputs() {
        var driver = SessionDriver.welcomed()
        let operation = OperationID(job: JobNumber(1), index: 1)
        let fetch = WorkerSession.Effect.send(.fetchInputs(driver.session.session, token(1), operation))
        #expect(driver.dispatch(1, hasInputs: true) == [fetch])
        let piece = [Input(name: "a", bytes: [1])]
        #expect(driver.receive(.inputs(token(1), piece, isLast: false)) == [.storeInputs(token(1), piece)])
        #expect(driver.receive(.inputs(token(1), [], isLast: true)).started == [token(1)])
        #expect(driver.receive(.inputs(token(1), piece, isLast: true)).isEmpty)
        #expect(driver.receive(.inputs(token(7), piece, isLast: true)).isEmpty)
    }

    @Test("Inputs that have not arrived are fetched again in the next session")
    func inputsAgain() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, hasInputs: true)
        driver.turn(.connectionLost)
        driver.connect()
        let effects = driver.welcome()
        #expect(
            effects == [
                .send(.fetchInputs(driver.session.session, token(1), OperationID(job: JobNumber(1), index: 1)))
            ]
        )
    }

    @Test("An end that is reported twice is sent once")
    func finishedTwice() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        #expect(driver.turn(.attemptFinished(token(1), result(1))).completions.count == 1)
        #expect(driver.turn(.attemptFinished(token(1), result(2)), .attemptFinished(token(5), result())).isEmpty)
    }
}
