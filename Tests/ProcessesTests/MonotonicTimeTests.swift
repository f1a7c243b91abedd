import Glibc
import Testing

@_spi(Baton) @testable import BatonProcesses

@Suite("Monotonic time")
struct MonotonicTimeTests {
    static let cases: [(Duration, Int64)] = [
        (.zero, 1_000), (.nanoseconds(5), 1_005), (.seconds(2), 2_000_001_000), (.seconds(-2), -1_999_999_000),
        (.seconds(Int64.max), .max), (.seconds(Int64.max / 1_000_000_000) + .milliseconds(900), .max),
        (.seconds(Int64.min), .min),
    ]

    @Test("A deadline beyond the range of the clock saturates at the ends of the range", arguments: cases)
    func deadlineBeyondRangeClock(
        duration: Duration,
        nanoseconds: Int64
    ) {
        #expect((MonotonicTime(nanoseconds: 1_000) + duration).nanoseconds == nanoseconds)
    }

    @Test("The wait until a past deadline is zero, and the wait until a distant one is long")
    func waitUntilPastDeadline() {
        #expect((MonotonicTime.now + .seconds(-5)).millisecondsFromNow() == 0)
        #expect(MonotonicTime(nanoseconds: .min).millisecondsFromNow() == 0)
        #expect(MonotonicTime(nanoseconds: .max).millisecondsFromNow() == .max)
        #expect((MonotonicTime.now + .seconds(3_600)).millisecondsFromNow() > 3_000_000)
    }
}
