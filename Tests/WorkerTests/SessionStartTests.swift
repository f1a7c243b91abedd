@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Sessions and the ledger of starts")
struct SessionStartTests {
    private let life = WorkerLife(directory: 3, start: 1, random: 77)

    private func start(_ serial: UInt64) -> StartedAttempt {
        let operation = OperationID(job: JobNumber(1), index: UInt32(serial))
        return StartedAttempt(token: token(serial), operation: operation, attempt: 1)
    }

    private func welcomed(
        slots: UInt32 = 2,
        left: LeftStarts? = LeftStarts(),
        kept: [KeptAttempts.Attempt] = []
    ) -> (driver: SessionDriver, hello: WorkerHello?) {
        var driver = SessionDriver(slots: slots) {
            $0.leftStarts = left
            $0.inherited = kept
        }
        let hello = driver.connect().hellos.first
        driver.welcome()
        return (driver, hello)
    }

    private func places(_ effects: [WorkerSession.Effect]) -> [UInt64: Int32?] {
        let started = effects.compactMap { if case .startAttempt(let assigned) = $0 { assigned } else { nil } }
        return Dictionary(uniqueKeysWithValues: started.map { ($0.assignment.token.serial, $0.startPlace) })
    }

    @Test("An attempt has a place from its start to its acknowledgement, erased before another one starts there")
    func places() {
        var (driver, _) = welcomed(slots: 1)
        #expect(places(driver.dispatch(1, 2)) == [1: 0])
        #expect(places(driver.turn(.attemptFinished(token(1), result()))) == [2: 1], "the end is not acknowledged")
        #expect(driver.receive(.acknowledge([token(1)])) == [.eraseStarts([0])])
        driver.turn(.attemptFinished(token(2), result()))
        driver.dispatch(3)
        driver.turn(.attemptFinished(token(3), result()))
        let effects = driver.turn(
            .message(.acknowledge([token(2)])),
            .message(.dispatch(batch([token(4)])))
        )
        #expect(places(effects) == [4: 1])
        let erasure = effects.firstIndex(of: .eraseStarts([1]))
        let begin = effects.firstIndex { if case .startAttempt = $0 { true } else { false } }
        #expect(erasure != nil && begin != nil && (erasure ?? 0) < (begin ?? 0))
    }

    @Test("Completion hooks and what runs nothing have no place; nor has anything without a ledger")
    func without() {
        var (driver, hello) = welcomed()
        #expect(hello?.earlierStarts == EarlierStarts())
        #expect(places(driver.dispatch(1, hookOutcome: .succeeded)) == [1: nil])
        #expect(places(driver.receive(.dispatch(batch([token(2)], work: Work(.noOperation))))).isEmpty)
        #expect(places(driver.dispatch(3)) == [3: 0])
        (driver, hello) = welcomed(left: nil)
        #expect(hello?.earlierStarts == nil)
        #expect(places(driver.dispatch(1)) == [1: nil])
        driver.turn(.attemptFinished(token(1), result()))
        #expect(driver.receive(.acknowledge([token(1)])).isEmpty)
    }

    @Test("A stale attempt keeps its place until it has ended")
    func stale() {
        var (driver, _) = welcomed()
        driver.dispatch(1)
        driver.turn(.connectionLost)
        driver.connect()
        let effects = driver.welcome(stale: [token(1)])
        #expect(effects.contains(.endAttempt(token(1), .cancelled)))
        #expect(!effects.contains(.eraseStarts([0])))
        #expect(driver.turn(.attemptFinished(token(1), result())).contains(.eraseStarts([0])))
    }

    @Test("Every hello tells what earlier processes had started, until it is acknowledged")
    func earlier() {
        let left = LeftStarts(lives: [life], attempts: [1: start(5), 4: start(3)])
        var (driver, hello) = welcomed(slots: 9, left: left)
        #expect(hello?.earlierStarts == EarlierStarts(lives: [life], attempts: [start(3), start(5)]))
        #expect(driver.receive(.acknowledge([token(3)])) == [.eraseStarts([4])])
        // The places of the others stay taken.
        let taken = places(driver.dispatch(11, 12, 13, 14, 15)).values.compactMap { $0 }.sorted()
        #expect(taken == [0, 2, 3, 4, 5])
        driver.turn(.connectionLost)
        let again = driver.connect().hellos.first
        #expect(again?.earlierStarts == EarlierStarts(lives: [life], attempts: [start(5)]))
        #expect(again?.attempts.map(\.token.serial) == [11, 12, 13, 14, 15])
    }

    @Test("An end that an earlier process has kept is reported, and no loss")
    func kept() {
        let claim = ClaimedAttempt(token: token(3), operation: start(3).operation, attempt: 1, phase: .finished)
        var (driver, hello) = welcomed(
            left: LeftStarts(lives: [life], attempts: [0: start(2), 1: start(3)]),
            kept: [KeptAttempts.Attempt(claim: claim, result: result(), age: 0)]
        )
        #expect(hello?.attempts.map(\.token) == [token(3)])
        #expect(hello?.earlierStarts?.attempts == [start(2)])
        #expect(driver.receive(.acknowledge([token(3)])).contains(.eraseStarts([1])))
    }

    @Test("D12 A worker forgets all earlier lives if another record does not know their starts")
    func foreign() {
        var driver = SessionDriver { [life] in
            $0.leftStarts = LeftStarts(lives: [life], attempts: [0: start(2), 1: start(3)])
        }
        driver.connect()
        let effects = driver.welcome(foreign: [token(3)])
        let forgets = effects.firstIndex(of: .forgetEarlierLives)
        let erases = effects.firstIndex(of: .eraseStarts([0, 1]))
        #expect(forgets != nil && erases != nil && (forgets ?? 0) < (erases ?? 0))
        driver.turn(.connectionLost)
        #expect(driver.connect().hellos.first?.earlierStarts == EarlierStarts())
    }
}
