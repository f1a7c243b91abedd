import Testing

@_spi(Baton) @testable import BatonOperations

@Suite("Values of arrays") struct ArrayValuesTests {
    private static func picked(_ numbers: Int64...) -> ArrayValues {
        .picked(numbers.map { .init(number: $0, item: String($0)) })
    }

    @Test(
        "A range is read from a number, or from two bounds with or without a step",
        arguments: [
            ("1-1000:2", ArrayValues.numbers(first: 1, step: 2, count: 500)),
            ("0-99:5", .numbers(first: 0, step: 5, count: 20)),
            ("7", .numbers(first: 7, step: 1, count: 1)),
            ("3-3", .numbers(first: 3, step: 1, count: 1)),
            ("1-10:100", .numbers(first: 1, step: 100, count: 1)),
            ("9223372036854775807", .numbers(first: .max, step: 1, count: 1)),
            ("0-9223372036854775807:9223372036854775807", .numbers(first: 0, step: .max, count: 2)),
            ("1-5:2,20,7-8", picked(1, 3, 5, 20, 7, 8)), ("3,1", picked(3, 1)),
        ]
    )
    func rangeReadFromNumber(
        text: String,
        expected: ArrayValues
    ) throws {
        #expect(try ArrayValues(range: text) == expected)
    }

    @Test(
        "A text that is not a range, or that is too long a range, is refused with the text",
        arguments: [
            "", "-", "1-", "-1", "-5--1", "a-b", "1-2-3", "1:2:3", "1-10:", "1-10:0", "5-1", "1 - 3", "+1-3", "1.5-2",
            "9223372036854775808", "0-9223372036854775807", "1-100000001", ",", "1,", "1,,2", "1-3,2", "5,5",
            "1-100000000,0",
        ]
    )
    func textRangeTooLong(text: String) {
        let refusal = #expect(throws: Refusal.self) { try ArrayValues(range: text) }
        #expect(refusal?.code == .invalid)
        #expect(refusal?.message.contains("\"\(text)\"") == true)
    }

    @Test(
        "Numbers are written as the ranges that a user types, and other arrays are not",
        arguments: ["1-1000:2", "7", "1-5:2,20,7-8", "3,1", "0-9,20-29", "1-2,10-40:10"]
    )
    func rangeText(text: String) throws {
        let values = try ArrayValues(range: text)
        let written = try #require(values.rangeText)
        #expect(try ArrayValues(range: written) == values, "\(written)")
        #expect(ArrayValues.lines(["a"]).rangeText == nil)
        #expect(ArrayValues.numbers(first: -1, step: 1, count: 3).rangeText == nil)
    }

    @Test("Each element of a range or of a list of lines has its number and its item")
    func eachElementRangeList() throws {
        let numbers = try ArrayValues(range: "10-20:5")
        #expect((0..<numbers.count).map(numbers.number(at:)) == [10, 15, 20])
        #expect((0..<numbers.count).map(numbers.item(at:)) == ["10", "15", "20"])
        let lines = ArrayValues.lines(["a.txt", "", "b c.txt"])
        #expect((0..<lines.count).map(lines.number(at:)) == [0, 1, 2])
        #expect((0..<lines.count).map(lines.item(at:)) == ["a.txt", "", "b c.txt"])
    }

    private func elements(_ values: ArrayValues) -> [ArrayValues.Element] {
        (0..<values.count).map { .init(number: values.number(at: $0), item: values.item(at: $0)) }
    }

    /// The ranges of positions in ascending order.
    private func ranges(_ positions: [Int]) -> [Range<UInt32>] {
        positions.reduce(into: []) { $0.append(adjoining: UInt32($1)..<UInt32($1) + 1) }
    }

    @Test("Each picked element has the number and the item that it was given")
    func eachPickedElementHas() {
        let values = ArrayValues.picked([.init(number: 7, item: "b"), .init(number: -1, item: "")])
        #expect(values.count == 2)
        #expect((0..<2).map(values.number(at:)) == [7, -1])
        #expect((0..<2).map(values.item(at:)) == ["b", ""])
        #expect(ArrayValues.picked([]).count == 0)
    }

    @Test(
        "A part of an array keeps the numbers and items of its elements",
        arguments: [
            ArrayValues.numbers(first: 10, step: 5, count: 6), .numbers(first: -3, step: 1, count: 6),
            .lines(["a", "b", "", "d", "a", "f"]),
            .picked((0..<6).map { .init(number: $0 * $0, item: "i\($0)") }),
        ]
    )
    func partArrayKeepsNumbers(values: ArrayValues) {
        for subset in 1..<(1 << 6) {
            let positions = (0..<6).filter { subset >> $0 & 1 == 1 }
            #expect(elements(values.picking(ranges(positions))) == positions.map { elements(values)[$0] })
        }
        #expect(values.picking([0..<6]) == values)
    }

    @Test("Elements that are picked from a range in equal steps stay a range, others become a list")
    func elementsPickedFromRange() {
        let values = ArrayValues.numbers(first: 10, step: 5, count: 1_000)
        #expect(values.picking([3..<4]) == .numbers(first: 25, step: 5, count: 1))
        #expect(values.picking([3..<6]) == .numbers(first: 25, step: 5, count: 3))
        #expect(values.picking(ranges([0, 3, 6])) == .numbers(first: 10, step: 15, count: 3))
        #expect(
            values.picking([0..<1, 3..<5])
                == .picked([
                    .init(number: 10, item: "10"), .init(number: 25, item: "25"), .init(number: 30, item: "30"),
                ])
        )
        // The ends of the range are two steps apart, and no step has that size.
        let wide = ArrayValues.numbers(first: .min, step: .max, count: 3)
        #expect(elements(wide.picking([0..<1, 2..<3])).map(\.number) == [.min, .max - 1])
    }

    @Test("Numbers of a range beyond the largest integer do not trap")
    func numbersRangeBeyondLargest() {
        let values = ArrayValues.numbers(first: .max, step: .max, count: 3)
        _ = (0..<3).map(values.number(at:))
    }
}
