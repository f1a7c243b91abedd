@_spi(Baton) import BatonOperations
import Testing

@Suite("Durations") struct DurationTests {
    @Test(
        "A duration is read from numbers with units in falling order",
        arguments: [
            ("250ms", Duration.milliseconds(250)), ("10s", .seconds(10)), ("1.5m", .seconds(90)),
            ("2h", .seconds(7200)),
            ("7d", .seconds(604_800)), ("0s", .zero), ("15us", .microseconds(15)), (".5s", .milliseconds(500)),
            ("1h30m", .seconds(5400)), ("1d2h3m4s5ms6us", .microseconds(93_784_005_006)),
            ("1m0.25s", .milliseconds(60_250)),
            ("10000d", .longestAllowed),
        ]
    )
    func durationReadFromNumbers(text: String, expected: Duration) {
        #expect(Duration(text: text) == expected)
    }

    @Test(
        "A text that is not a duration, or that is too long a duration, is refused",
        arguments: [
            "", "s", "ms", "-1s", "+1s", "1 s", "1e3", "1.2.3s", ".", ".s", "10001d", "3", "0", "0.5", "1h30", "30m1h",
            "1h1h", "1.5h30m", "1h 30m", "1h-30m", "9999d25h", "10000d1us", "1hm", "1H", "1w", "inf", "nan", "0x10",
            String(repeating: "9", count: 400),
        ]
    )
    func textDurationTooLong(text: String) {
        #expect(Duration(text: text) == nil)
    }

    @Test("A text that is too long a duration is told from other texts")
    func tooLong() {
        let long = [
            "10001d", "36500d", "9999d25h", "10000d1us", String(repeating: "9", count: 400) + "d",
            "999999999999999999d999999999999999999h",
        ]
        for text in long { #expect(Duration.isTooLong(text) && Duration(text: text) == nil, "\(text)") }
        for text in ["10000d", "0s", "", "10001", "10001w", "1h10001d", "22:00"] {
            #expect(!Duration.isTooLong(text), "\(text)")
        }
    }

    @Test(
        "A duration is printed in units, and the text reads as the same duration",
        arguments: [
            ("0s", "0s"), ("250ms", "250ms"), ("90s", "1m30s"), ("1h30m", "1h30m"), ("90m", "1h30m"), ("2h", "2h"),
            ("7d", "7d"),
            ("15us", "15us"), ("5m", "5m"), ("1500ms", "1s500ms"), ("24h", "1d"), ("10000d", "10000d"),
        ]
    )
    func durationPrintedUnitsText(text: String, expected: String) {
        #expect(Duration(text: text)?.text == expected)
        #expect(Duration(text: expected) == Duration(text: text))
    }

    @Test("Negative and extreme durations are printed in the same units")
    func negativeExtremeDurationsPrinted() {
        #expect(Duration.seconds(-5).text == "-5s")
        #expect(Duration.microseconds(Int64.min).text == "-9223372036854775808us")
        #expect(Duration.microseconds(Int64.max).text == "106751991d4h54s775ms807us")
    }

    @Test("The microseconds of a duration saturate at both ends and drop nanoseconds")
    func microsecondsDurationSaturateBoth() {
        #expect(Duration.microseconds(Int64.max).microseconds == .max)
        #expect(Duration.microseconds(Int64.min).microseconds == .min)
        #expect(Duration.seconds(Int64.max).microseconds == .max)
        #expect(Duration.seconds(Int64.min).microseconds == .min)
        #expect(Duration.nanoseconds(1999).microseconds == 1)
        #expect(Duration.milliseconds(-1500).microseconds == -1_500_000)
    }
}
