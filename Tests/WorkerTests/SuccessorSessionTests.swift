@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Sessions and their successors")
struct SuccessorSessionTests {
    private let refusal = Refusal(.incompatible, "Upgrade the worker.")

    private func ended(_ serial: UInt64, _ status: Int32 = 0, age: Int64 = 0) -> KeptAttempts.Attempt {
        KeptAttempts.Attempt(
            claim: ClaimedAttempt(
                token: token(serial),
                operation: OperationID(job: JobNumber(1), index: UInt32(serial)),
                attempt: 1,
                phase: .finished,
                age: age
            ),
            result: result(status),
            age: age
        )
    }

    private func unstarted(_ serial: UInt64) -> KeptAttempts.Attempt {
        KeptAttempts.Attempt(
            claim: ClaimedAttempt(
                token: token(serial),
                operation: OperationID(job: JobNumber(1), index: UInt32(serial)),
                attempt: 1,
                phase: .waiting
            ),
            result: nil,
            age: 0
        )
    }

    private func successor(of kept: [KeptAttempts.Attempt]) -> SessionDriver {
        SessionDriver { $0.inherited = kept }
    }

    // MARK: - The worker that is refused

    @Test("A session that is refused for its version finishes what it runs, starts nothing, and keeps everything")
    func refused() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2)
        driver.turn(.attemptFinished(token(1), result()))
        #expect(driver.session.isWelcomed)
        #expect(driver.receive(.refused(refusal)) == [.closeConnection])
        #expect(driver.turn(.connectionLost, .tick).isEmpty)
        #expect(driver.turn(.slotFreed(token(2))).isEmpty)
        driver.now += .seconds(1)
        let effects = driver.turn(.attemptFinished(token(2), result(3)))
        let expected = [ended(1, age: 1_000_000), ended(2, 3, age: 1_000_000)]
        #expect(effects == [.keepAttempts(expected), .exit(.refused(refusal))])
    }

    @Test("A session that is refused for its version keeps the attempts that have not started, as such")
    func unstartedAttempts() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2)
        driver.receive(.refused(refusal))
        let effects = driver.turn(.attemptFinished(token(1), result()))
        #expect(effects == [.keepAttempts([ended(1), unstarted(2)]), .exit(.refused(refusal))])
    }

    @Test("A session that is refused for its version and has nothing to keep ends at once")
    func nothingToKeep() {
        var driver = SessionDriver.welcomed()
        #expect(driver.receive(.refused(refusal)) == [.exit(.refused(refusal))])
    }

    @Test("A stop lets a session that is refused for its version wait for the drain timeout, and then end what runs")
    func stop() {
        var driver = SessionDriver { $0.drainTimeout = .seconds(5) }
        driver.connect()
        driver.welcome()
        driver.dispatch(1, 2, 3)
        driver.receive(.refused(refusal))
        #expect(driver.turn(.stopRequested, .stopRequested).isEmpty)
        #expect(driver.turn(.attemptFinished(token(1), result())).isEmpty)
        #expect(driver.passTime() == [.endAttempt(token(2), .leaving)])
        #expect(driver.turn(.tick, after: .seconds(9)).isEmpty)
        let kept = driver.turn(.attemptFinished(token(2), AttemptResult(end: .stopped))).kept
        #expect(kept.map(\.claim.token) == [token(1), token(2), token(3)])
        #expect(kept.map(\.result?.end) == [.exited(0), .stopped, nil])
    }

    @Test("A session that finishes, and is then refused for its version, goes on until a stop")
    func stopAfterFinish() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        driver.turn(.finishRequested)
        driver.receive(.refused(refusal))
        #expect(driver.turn(.finishRequested, .tick, after: .seconds(100_000)).isEmpty)
        #expect(driver.turn(.stopRequested) == [.endAttempt(token(1), .leaving)])
    }

    @Test("Without a drain timeout, a stop ends what a session runs that is refused for its version")
    func stopAtOnce() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        driver.receive(.refused(refusal))
        #expect(driver.turn(.stopRequested) == [.endAttempt(token(1), .leaving)])
    }

    @Test(
        "The policy for an absent coordinator, and the time limit, hold for a session that is refused for its version"
    )
    func limits() {
        var absent = SessionDriver.welcomed(onCoordinatorLost: .kill(after: .seconds(3)))
        absent.dispatch(1)
        absent.receive(.refused(refusal))
        #expect(absent.passTime() == [.endAttempt(token(1), .coordinatorLost)])
        var limited = SessionDriver { $0.endsAt = .seconds(9) }
        limited.connect()
        limited.welcome()
        limited.dispatch(1)
        limited.receive(.refused(refusal))
        #expect(limited.passTime() == [.noteDeparture(.timeLimit), .endAttempt(token(1), .leaving)])
    }

    @Test("A session that is stopped while the coordinator is away keeps the ends without an acknowledgement")
    func stoppedAlone() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, 2)
        driver.turn(.attemptFinished(token(1), result()))
        driver.receive(.acknowledge([token(1)]))
        driver.turn(.connectionLost)
        driver.turn(.attemptFinished(token(2), result(4)))
        driver.turn(.stopRequested)
        var effects: [WorkerSession.Effect] = []
        while !driver.isOver { effects = driver.passTime() }
        #expect(effects.kept.map(\.claim.token) == [token(2)])
        #expect(effects.last == .exit(.stopped))
    }

    // MARK: - Its successor

    @Test("A successor lists the kept attempts, reports them, and discards them once the coordinator knows of all")
    func successor() throws {
        var driver = successor(of: [ended(1, 3, age: 2_000_000), unstarted(2)])
        let hello = try #require(driver.connect().hellos.first)
        #expect(hello.attempts.map(\.token) == [token(1), token(2)])
        #expect(hello.attempts.map(\.phase) == [.finished, .waiting])
        #expect((2_000_000..<10_000_000).contains(hello.attempts[0].age))
        let effects = driver.welcome()
        #expect(effects.completions.map(\.token) == [token(1)])
        #expect(effects.completions.map(\.result) == [result(3)])
        #expect(effects.completions.allSatisfy { (2_000_000..<10_000_000).contains($0.age) })
        #expect(effects.returned == [token(2)])
        #expect(driver.dispatch(2).started.isEmpty)
        #expect(driver.receive(.acknowledge([token(1)])).isEmpty)
        // The answer to a heartbeat that was sent before tells nothing.
        #expect(!driver.receive(.heartbeat(number: UInt64(driver.now.microseconds))).contains(.discardKeptAttempts))
        let sentAt = driver.now + .seconds(1)
        let answer = driver.receive(.heartbeat(number: UInt64(sentAt.microseconds)), after: .seconds(2))
        #expect(answer.contains(.discardKeptAttempts))
        #expect(driver.session.attemptCount == 0)
    }

    @Test("A successor that loses the coordinator lists what is not acknowledged again, and what it gave back no more")
    func lostConnection() throws {
        var driver = successor(of: [ended(1), unstarted(2)])
        driver.connect()
        driver.welcome()
        driver.turn(.connectionLost)
        let hello = try #require(driver.connect().hellos.first)
        #expect(hello.attempts.map(\.token) == [token(1)])
        #expect(driver.welcome().completions.map(\.token) == [token(1)])
        #expect(driver.receive(.acknowledge([token(1)])) == [.discardKeptAttempts])
    }

    @Test("A successor discards kept attempts that the coordinator does not want any more")
    func stale() {
        var driver = successor(of: [ended(1), unstarted(2)])
        driver.connect()
        let effects = driver.welcome(stale: [token(1), token(2)])
        #expect(effects.contains(.discardKeptAttempts))
        #expect(effects.reports.isEmpty)
    }

    @Test("A successor keeps the ends of another record as long as its own, and sends none")
    func foreign() {
        var driver = successor(of: [ended(1)])
        driver.connect()
        #expect(driver.welcome(foreign: [token(1)]).reports.isEmpty)
        let patience = driver.session.configuration.foreignPatience
        #expect(driver.turn(.tick, after: patience).contains(.discardKeptAttempts))
    }

    @Test("A successor that is refused, too, passes everything on")
    func refusedSuccessor() {
        var driver = successor(of: [ended(1), unstarted(2)])
        driver.connect()
        let effects = driver.receive(.refused(refusal))
        #expect(effects.kept.map(\.claim.token) == [token(1), token(2)])
        #expect(effects.kept.map(\.claim.phase) == [.finished, .waiting])
    }

    @Test("Kept attempts do not detain a successor whose keys do not let it in: they stay where they are")
    func notAdmitted() {
        var driver = successor(of: [ended(1), unstarted(2)])
        driver.turn(.tick)
        #expect(driver.turn(.notAdmitted(.refused)) == [.exit(.notAdmitted(.refused))])
    }

    @Test("Ages of any size are taken over")
    func ages() throws {
        var driver = successor(of: [ended(1, age: .max), ended(1, age: 0)])
        let hello = try #require(driver.connect().hellos.first)
        #expect(hello.attempts.count == 1 && hello.attempts[0].age >= Duration.longestAllowed.microseconds)
    }
}

extension [WorkerSession.Effect] {
    /// The attempts that are put on the disk.
    fileprivate var kept: [KeptAttempts.Attempt] {
        flatMap { if case .keepAttempts(let attempts) = $0 { attempts } else { [] as [KeptAttempts.Attempt] } }
    }
}
