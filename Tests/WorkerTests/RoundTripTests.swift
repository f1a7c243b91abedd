@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("The round trip between worker and coordinator")
struct RoundTripTests {
    /// The round trips that a turn tells the coordinator.
    private static func told(_ effects: [WorkerSession.Effect]) -> [UInt64] {
        effects.messages.compactMap { if case .distance(_, let roundTrip) = $0 { roundTrip } else { nil } }
    }

    /// The numbers of the heartbeats that a turn sends.
    private static func heartbeats(_ effects: [WorkerSession.Effect]) -> [UInt64] {
        effects.messages.compactMap { if case .heartbeat(_, let number) = $0 { number } else { nil } }
    }

    /// A driver whose hello was answered after a time.
    private static func welcomed(after time: Duration) -> (driver: SessionDriver, effects: [WorkerSession.Effect]) {
        var driver = SessionDriver()
        driver.connect()
        driver.now += time
        let effects = driver.welcome()
        return (driver, effects)
    }

    @Test("A far worker tells the round trip with the welcome, and measures four times at once")
    func far() {
        var (driver, effects) = Self.welcomed(after: .milliseconds(130))
        #expect(Self.told(effects) == [130_000])
        // The hello had to wait for the connection: the answers to heartbeats come sooner.
        var counts: [Int] = []
        var told: [UInt64] = []
        for _ in 0..<6 {
            let numbers = Self.heartbeats(effects)
            counts.append(numbers.count)
            guard let number = numbers.first else { break }
            driver.now += .milliseconds(100)
            effects = driver.receive(.heartbeat(number: number))
            told += Self.told(effects)
        }
        #expect(counts == [1, 1, 1, 0])
        #expect(told == [100_000])
    }

    @Test("A near worker tells nothing and measures nothing at once")
    func near() {
        for time in [Duration.zero, .microseconds(1900)] {
            var (driver, effects) = Self.welcomed(after: time)
            #expect(Self.told(effects).isEmpty && Self.heartbeats(effects).isEmpty)
            for _ in 0..<10 {
                driver.now += .seconds(1)
                let numbers = Self.heartbeats(driver.turn(.tick))
                #expect(numbers.count == 1)
                driver.now += time
                let answers = numbers.flatMap { driver.receive(.heartbeat(number: $0)).messages }
                #expect(answers.isEmpty)
            }
        }
    }

    @Test("A longer round trip is told once five heartbeats show it, a shorter one at once, a small change never")
    func changes() {
        var roundTrip = RoundTrip()
        func news(_ milliseconds: Int) -> Int64? {
            roundTrip.add(.milliseconds(milliseconds))
            return roundTrip.takeNews().map { $0.microseconds / 1000 }
        }
        #expect(news(100) == 100)
        for time in [105, 95, 5000, 101] { #expect(news(time) == nil) }
        for time in [300, 310, 305, 320] { #expect(news(time) == nil) }
        #expect(news(330) == 300)
        #expect(news(40) == 40)
        #expect(news(0) == 0)
        for time in [1, 2] { #expect(news(time) == nil) }
        // The time of an answer is never before its question.
        #expect(news(-5) == nil && roundTrip.estimate == .zero)
    }

    @Test("A new session measures anew")
    func newSession() {
        var (driver, _) = Self.welcomed(after: .milliseconds(130))
        driver.turn(.connectionLost)
        driver.now += .seconds(10)
        driver.turn(.tick)
        driver.turn(.connectionOpened)
        driver.now += .milliseconds(50)
        #expect(Self.told(driver.welcome()) == [50_000])
    }
}
