import BatonOperations
import Testing

@Suite("Priorities and qualities of service") struct PriorityTests {
    @Test(arguments: -20...20)
    func `PR5 A number moves towards normal to the nearest level`(number: Int) {
        // The statement's table the other way round: the level furthest from normal that the number reaches.
        let reached = Priority.allCases.filter { level in
            let value = Int(level.rawValue)
            return value == 0 || (value.signum() == number.signum() && abs(value) <= abs(number))
        }
        let expected = reached.max { abs(Int($0.rawValue)) < abs(Int($1.rawValue)) }
        #expect(Priority(clamping: number) == expected)
    }

    @Test func `PR5 The largest numbers are levels too`() {
        #expect(Priority(clamping: .min) == .veryLow)
        #expect(Priority(clamping: .max) == .veryHigh)
    }

    @Test(arguments: [
        ("veryHigh", Priority.veryHigh), ("normal", .normal), ("-4", .low), ("+8", .veryHigh), ("100", .veryHigh),
        ("-5", .low), ("3", .normal),
    ])
    func `Reads a level by name or number`(text: String, expected: Priority) {
        #expect(Priority(text) == expected)
    }

    @Test(arguments: ["", "veryhigh", "urgent", "1.5", "4 "])
    func `Refuses what is no level`(text: String) {
        #expect(Priority(text) == nil)
    }

    @Test func `PR1 The levels are -8, -4, 0, 4 and 8, in this order`() {
        #expect(Priority.allCases.sorted().map(\.rawValue) == [-8, -4, 0, 4, 8])
        for level in Priority.allCases { #expect(Priority(level.description) == level) }
    }

    @Test func `QO1 The classes go from background to userInteractive, and QO5 their weights double`() {
        #expect(QualityOfService.allCases.map(\.weight) == [1, 2, 4, 8, 16])
        for quality in QualityOfService.allCases { #expect(QualityOfService(quality.description) == quality) }
        #expect(QualityOfService("fast") == nil)
    }
}
