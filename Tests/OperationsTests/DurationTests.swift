import Operations
import Testing

@Suite struct DurationTests {
    @Test(arguments: [
        ("250ms", Duration.milliseconds(250)), ("10s", .seconds(10)), ("1.5m", .seconds(90)), ("2h", .seconds(7200)),
        ("7d", .seconds(604_800)), ("3", .seconds(3)), ("0", .zero), ("15us", .microseconds(15)),
        ("0.5", .milliseconds(500)),
        ("10000d", .longestAllowed),
    ])
    func `Reads what users type`(text: String, expected: Duration) {
        #expect(Duration(text: text) == expected)
    }

    @Test(arguments: [
        "", "s", "ms", "-1s", "+1s", "1 s", "1e3", "1.2.3s", ".", "10001d", "1w", "inf", "nan", "0x10",
        String(repeating: "9", count: 400),
    ])
    func `Refuses what is no duration, or too long a one`(text: String) {
        #expect(Duration(text: text) == nil)
    }

    @Test(arguments: ["0s", "250ms", "90s", "2h", "7d", "15us", "5m", "1500ms"])
    func `Prints the largest unit that divides it`(text: String) {
        #expect(Duration(text: text)?.text == text)
    }

    @Test func `Prints negative and extreme ones too`() {
        #expect(Duration.seconds(-5).text == "-5s")
        #expect(Duration.microseconds(Int64.min).text == "-9223372036854775808us")
        #expect(Duration.microseconds(Int64.max).text == "9223372036854775807us")
    }

    @Test func `Microseconds saturate at both ends`() {
        #expect(Duration.microseconds(Int64.max).microseconds == .max)
        #expect(Duration.microseconds(Int64.min).microseconds == .min)
        #expect(Duration.seconds(Int64.max).microseconds == .max)
        #expect(Duration.seconds(Int64.min).microseconds == .min)
        #expect(Duration.nanoseconds(1999).microseconds == 1)
        #expect(Duration.milliseconds(-1500).microseconds == -1_500_000)
    }
}
