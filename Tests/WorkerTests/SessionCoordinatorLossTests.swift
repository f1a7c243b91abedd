@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("The loss of a coordinator")
struct SessionCoordinatorLossTests {
    private static let patience = Duration.seconds(600)

    /// A session with one slot, attempt 1 running and attempt 2 waiting, just after the loss of the coordinator.
    private func abandoned(_ policy: CoordinatorLossPolicy) -> SessionDriver {
        var driver = SessionDriver.welcomed(slots: 1, onCoordinatorLost: policy)
        driver.dispatch(1, 2)
        driver.turn(.connectionLost)
        return driver
    }

    /// Lets time pass without answers, and returns the effects.
    private func pass(_ time: Duration, _ driver: inout SessionDriver) -> [WorkerSession.Effect] {
        let end = driver.now + time
        var effects: [WorkerSession.Effect] = []
        while let next = driver.session.nextTick, next <= end {
            let new = driver.passTime()
            if new.contains(.openConnection(at: 0)) { effects += driver.turn(.connectionLost) }
            effects += new
        }
        driver.now = end
        return effects + driver.turn(.tick)
    }

    @Test("A session that goes on ends no attempt within a day, and starts no waiting attempt without a lease")
    func goesOn() {
        var driver = abandoned(.goOn)
        #expect(pass(.seconds(86400), &driver).ended.isEmpty)
        #expect(!driver.session.hasGivenUpCoordinator)
        #expect(driver.turn(.attemptFinished(token(1), result())).started.isEmpty)
    }

    @Test(
        "A session ends no attempt and starts waiting attempts before the deadline of its policy",
        arguments: [CoordinatorLossPolicy.finish(after: patience), .kill(after: patience)]
    )
    func beforeTheDeadline(policy: CoordinatorLossPolicy) {
        var driver = abandoned(policy)
        let lease = driver.session.mayStartUntil - driver.now
        #expect(pass(min(Self.patience, lease) - .milliseconds(1), &driver).ended.isEmpty)
        #expect(driver.turn(.attemptFinished(token(1), result())).started == [token(2)])
    }

    @Test("A session that finishes starts nothing after the deadline until the coordinator is back")
    func finish() {
        var driver = abandoned(.finish(after: Self.patience))
        let effects = pass(Self.patience, &driver)
        #expect(effects.ended.isEmpty && driver.session.hasGivenUpCoordinator)
        #expect(driver.turn(.attemptFinished(token(1), result())).started.isEmpty)
        // A hello without an answer changes nothing.
        let hello = driver.connect()
        #expect(hello.hellos.first?.attempts.map(\.phase) == [.finished, .waiting])
        #expect(hello.started.isEmpty)
        let welcomed = driver.welcome()
        #expect(welcomed.started == [token(2)])
        #expect(welcomed.completions.map(\.token) == [token(1)])
        #expect(!driver.session.hasGivenUpCoordinator)
    }

    @Test("A session that kills ends its attempts at the deadline, and keeps their ends for the coordinator")
    func kill() {
        var driver = abandoned(.kill(after: Self.patience))
        let effects = pass(Self.patience, &driver)
        #expect(effects.filter { $0 == .endAttempt(token(1), .coordinatorLost) }.count == 1)
        #expect(pass(Self.patience, &driver).ended.isEmpty)
        let interrupted = AttemptResult(end: .interrupted)
        #expect(driver.turn(.attemptFinished(token(1), interrupted)).started.isEmpty)
        driver.connect()
        let welcomed = driver.welcome()
        #expect(welcomed.completions.map(\.result.end) == [.interrupted])
        #expect(welcomed.started == [token(2)])
    }

    @Test("A session keeps opening connections, and measures each absence of the coordinator anew")
    func again() {
        var driver = abandoned(.kill(after: Self.patience))
        #expect(pass(Self.patience, &driver).contains(.openConnection(at: 0)))
        driver.turn(.attemptFinished(token(1), AttemptResult(end: .interrupted)))
        #expect(pass(Self.patience, &driver).contains(.openConnection(at: 0)))
        driver.connect()
        driver.welcome()
        driver.turn(.connectionLost)
        #expect(pass(Self.patience - .milliseconds(1), &driver).ended.isEmpty)
        #expect(pass(.milliseconds(1), &driver).ended == [token(2)])
    }

    @Test("The absence of a silent coordinator is measured from its last message")
    func silence() {
        var driver = SessionDriver.welcomed(slots: 1, onCoordinatorLost: .kill(after: Self.patience))
        driver.dispatch(1)
        let heard = driver.now
        #expect(pass(Self.patience - .milliseconds(1), &driver).ended.isEmpty)
        #expect(!driver.session.isWelcomed)
        #expect(pass(.milliseconds(1), &driver).ended == [token(1)])
        #expect(driver.now == heard + Self.patience)
    }

    @Test("A session that never had a coordinator keeps opening connections and gives nothing up")
    func neverThere() {
        var driver = SessionDriver(onCoordinatorLost: .kill(after: .zero))
        #expect(pass(.seconds(60), &driver).contains(.openConnection(at: 0)))
        #expect(!driver.session.hasGivenUpCoordinator)
    }

    @Test("A session that has given up its coordinator still ends its attempts when it leaves")
    func leaving() {
        var driver = abandoned(.finish(after: Self.patience))
        _ = pass(Self.patience, &driver)
        #expect(driver.turn(.stopRequested).ended == [token(1)])
        driver.turn(.attemptFinished(token(1), AttemptResult(end: .interrupted)))
        _ = pass(.seconds(2), &driver)
        #expect(driver.isOver)
    }
}
