import Testing

@_spi(Baton) @testable import BatonOperations

@Suite("Ranges of memory and time")
struct RangeTests {
    @Test(
        "A range is read as it is written",
        arguments: [
            ("2G..16G", OptionForm.size, OptionRange(first: .bytes(2 << 30), last: .bytes(16 << 30))),
            ("1.5G..2G", .size, OptionRange(first: .bytes(3 << 29), last: .bytes(2 << 30))),
            ("512M..512M", .size, OptionRange(first: .bytes(512 << 20), last: .bytes(512 << 20))),
            ("1h..8h", .timeLimit, OptionRange(first: .duration(.seconds(3600)), last: .duration(.seconds(28_800)))),
        ]
    )
    func reads(text: String, form: OptionForm, range: OptionRange) {
        #expect(OptionRange(text, form) == range)
        #expect(OptionRange(range.description, form) == range)
    }

    @Test(
        "Other texts are no ranges",
        arguments: [
            "16G..2G", "2G..", "..2G", "0..2G", "4000..16000", "1G...5T", "1023K..2G", "2G..4G..8G", "2G", "1h..2h", "",
        ]
    )
    func refusesSizes(text: String) { #expect(OptionRange(text, .size) == nil) }

    @Test("Other texts are no ranges of time", arguments: ["8h..1h", "0s..1h", "1..8", "2G..16G", "1h..11000d", "1h"])
    func refusesTimes(text: String) { #expect(OptionRange(text, .timeLimit) == nil) }

    @Test("RT4 Limits double up to their end, whatever numbers a record has")
    func doubles() {
        var template = Template(work: Work(.noOperation, timeout: .seconds(10), memory: 3))
        #expect(template.limits(after: AttemptLimits(), for: .memory).isEmpty)
        template.memoryUpTo = 10
        template.timeoutUpTo = .seconds(15)
        #expect(template.limits(after: nil).isEmpty)
        let grown = template.limits(after: template.limits(after: AttemptLimits(), for: .memory), for: .timeout)
        #expect(grown == AttemptLimits(memory: 6, timeout: .seconds(15)))
        #expect(template.limits(after: grown, for: .memory).memory == 10)
        #expect(template.limits(after: grown, for: .exit) == grown)
        #expect(template.limits(after: AttemptLimits(memory: .max), for: .memory).memory == 10)
        #expect(template.memory(of: AttemptLimits()) == 3 && template.timeout(of: grown) == .seconds(15))
    }

    @Test(
        "RT2 Conditions for ends are read as they are written, and others are refused",
        arguments: [
            ("75", EndCondition.statuses(75...75)), ("64-66", .statuses(64...66)), ("timeout", .reason(.timeout)),
            ("1-255", .statuses(1...255)),
        ]
    )
    func conditions(text: String, condition: EndCondition) {
        #expect(EndCondition(text) == condition && condition.description == text)
        #expect(EndCondition("75-75")?.description == "75")
        let others = ["", "0", "256", "66-64", "-", "64-", "-64", "1-2-3", "+75", "lost", "cancelled", "7 5"]
        #expect(others.compactMap { EndCondition($0) }.isEmpty)
    }
}
