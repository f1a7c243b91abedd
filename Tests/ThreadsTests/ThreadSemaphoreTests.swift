@_spi(Baton) import BatonThreads
import Testing

@Suite("Semaphores", .timeLimit(.minutes(60)))
struct ThreadSemaphoreTests {
    @Test("Each signal ends one wait, also a wait that begins later")
    func signals() {
        let semaphore = ThreadSemaphore()
        semaphore.signal()
        semaphore.signal()
        semaphore.wait()
        #expect(semaphore.wait(for: .zero))
        #expect(!semaphore.wait(for: .zero))
    }

    @Test("A signal ends a wait of another thread, with and without a limit")
    func twoThreads() throws {
        let (asked, answered) = (ThreadSemaphore(), ThreadSemaphore())
        let thread = try SystemThread(named: "test") {
            for _ in 0..<100 {
                asked.wait()
                answered.signal()
            }
        }
        for round in 0..<100 {
            asked.signal()
            // The second limit has more seconds than the system's times.
            if round % 2 == 0 { answered.wait() } else { #expect(answered.wait(for: .seconds(Int64.max / 2))) }
        }
        thread.join()
    }

    @Test("A wait without a signal ends with its time, and not before", arguments: [1, 20])
    func time(milliseconds: Int) {
        let start = ContinuousClock.now
        #expect(!ThreadSemaphore().wait(for: .milliseconds(milliseconds)))
        #expect(.now - start >= .milliseconds(milliseconds))
    }
}
