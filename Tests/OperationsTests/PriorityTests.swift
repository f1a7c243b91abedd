@_spi(Baton) import BatonOperations
import Testing

@Suite("Priorities and qualities of service") struct PriorityTests {
    @Test("PR5 A number moves towards normal to the nearest priority", arguments: -20...20)
    func numberMovesTowardsNormal(number: Int) {
        // The statement's table the other way round: the priority furthest from normal that the number reaches.
        let reached = Priority.allCases.filter { priority in
            let value = Int(priority.rawValue)
            return value == 0 || (value.signum() == number.signum() && abs(value) <= abs(number))
        }
        let expected = reached.max { abs(Int($0.rawValue)) < abs(Int($1.rawValue)) }
        #expect(Priority(clamping: number) == expected)
    }

    @Test("PR5 The smallest and the largest number become the lowest and the highest priority")
    func smallestLargestNumberBecome() {
        #expect(Priority(clamping: .min) == .veryLow)
        #expect(Priority(clamping: .max) == .veryHigh)
    }

    @Test(
        "A priority is read from its name or from any whole number",
        arguments: [
            ("veryHigh", Priority.veryHigh), ("normal", .normal), ("-4", .low), ("+8", .veryHigh), ("100", .veryHigh),
            ("-5", .low), ("3", .normal),
        ]
    )
    func priorityReadFromName(text: String, expected: Priority) {
        #expect(Priority(text) == expected)
    }

    @Test(
        "A text that is neither the name of a priority nor a whole number is refused",
        arguments: ["", "veryhigh", "urgent", "1.5", "4 "]
    )
    func textNeitherNamePriority(text: String) {
        #expect(Priority(text) == nil)
    }

    @Test("PR1 The priorities are -8, -4, 0, 4 and 8, and each is read from its own name")
    func priorities840() {
        #expect(Priority.allCases.sorted().map(\.rawValue) == [-8, -4, 0, 4, 8])
        for priority in Priority.allCases { #expect(Priority(priority.description) == priority) }
    }

    @Test("QO1 QO5 The classes from background to userInteractive have the weights 1, 2, 4, 8 and 16")
    func classesFromBackgroundUserInteractive() {
        #expect(QualityOfService.allCases.map(\.weight) == [1, 2, 4, 8, 16])
        for quality in QualityOfService.allCases { #expect(QualityOfService(quality.description) == quality) }
        #expect(QualityOfService("fast") == nil)
    }
}
