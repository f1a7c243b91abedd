import Glibc
import Testing

@testable import BatonProcesses

@Suite("Monotonic time")
struct MonotonicTimeTests {
    static let cases: [(Duration, Int64)] = [
        (.zero, 1_000), (.nanoseconds(5), 1_005), (.seconds(2), 2_000_001_000), (.seconds(-2), -1_999_999_000),
        (.seconds(Int64.max), .max), (.seconds(Int64.max / 1_000_000_000) + .milliseconds(900), .max),
        (.seconds(Int64.min), .min),
    ]

    @Test(arguments: cases)
    func `A deadline too far away is the last one there is`(duration: Duration, nanoseconds: Int64) {
        #expect((MonotonicTime(nanoseconds: 1_000) + duration).nanoseconds == nanoseconds)
    }

    @Test
    func `A wait does not end early and is never negative`() {
        #expect((MonotonicTime.now + .seconds(-5)).millisecondsFromNow() == 0)
        #expect(MonotonicTime(nanoseconds: .min).millisecondsFromNow() == 0)
        #expect(MonotonicTime(nanoseconds: .max).millisecondsFromNow() == .max)
        #expect((MonotonicTime.now + .seconds(3_600)).millisecondsFromNow() > 3_000_000)
    }
}
