@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Times in reports")
struct SessionTimesTests {
    @Test("A report has the ages of starts and ends, and the run time until the slot was free, by the worker's clock")
    func report() throws {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2)
        let freed = driver.turn(.slotFreed(token(1)), after: .seconds(3))
        #expect(freed.started == [token(2)])
        let finished = driver.turn(.attemptFinished(token(1), result()), after: .microseconds(1500))
        #expect(finished.reports.first?.started == [AttemptStart(token(2), age: 1500)])
        let completion = try #require(finished.completions.first)
        #expect(
            completion.result.microseconds == 3_000_000,
            "until its processes were gone, not until its output was here"
        )
        #expect(completion.age == 1500)
    }

    @Test("A session that was cut off reports the true ages of its attempts after its return")
    func cutOff() throws {
        var driver = SessionDriver.welcomed(slots: 2)
        driver.dispatch(1, 2)
        driver.turn(.connectionLost, after: .seconds(1))
        driver.turn(.attemptFinished(token(1), result()), after: .milliseconds(10))
        driver.now += .seconds(30)
        let hello = try #require(driver.connect().hellos.first)
        let sinceStart = driver.now.microseconds
        #expect(hello.attempts.map(\.phase) == [.finished, .running])
        let ages = hello.attempts.map(\.age)
        #expect(ages[0] == ages[1] && ages[0] > 31_000_000 && ages[0] <= sinceStart)
        driver.now += .milliseconds(7)
        let completion = try #require(driver.welcome().completions.first)
        #expect(completion.result.microseconds == 1_010_000)
        #expect(completion.age == ages[0] - 1_010_000 + 7000)
    }

    @Test("A waiting attempt has age zero in a hello")
    func waiting() throws {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2)
        driver.turn(.connectionLost, after: .seconds(1))
        let hello = try #require(driver.connect().hellos.first)
        #expect(hello.attempts.map(\.phase) == [.running, .waiting])
        #expect(hello.attempts[1].age == 0)
    }
}
