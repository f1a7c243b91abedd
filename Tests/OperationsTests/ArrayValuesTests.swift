import Operations
import Testing

@Suite struct ArrayValuesTests {
    @Test(arguments: [
        ("1-1000:2", ArrayValues.numbers(first: 1, step: 2, count: 500)),
        ("0-99:5", .numbers(first: 0, step: 5, count: 20)),
        ("7", .numbers(first: 7, step: 1, count: 1)),
        ("3-3", .numbers(first: 3, step: 1, count: 1)),
        ("1-10:100", .numbers(first: 1, step: 100, count: 1)),
        ("9223372036854775807", .numbers(first: .max, step: 1, count: 1)),
        ("0-9223372036854775807:9223372036854775807", .numbers(first: 0, step: .max, count: 2)),
    ])
    func `Reads what users type`(text: String, expected: ArrayValues) throws {
        #expect(try ArrayValues(range: text) == expected)
    }

    @Test(arguments: [
        "", "-", "1-", "-1", "-5--1", "a-b", "1-2-3", "1:2:3", "1-10:", "1-10:0", "5-1", "1 - 3", "+1-3", "1.5-2",
        "9223372036854775808", "0-9223372036854775807", "1-100000001",
    ])
    func `Refuses what is no range, or too long a one`(text: String) {
        let refusal = #expect(throws: Refusal.self) { try ArrayValues(range: text) }
        #expect(refusal?.code == .invalid)
        #expect(refusal?.message.contains("\"\(text)\"") == true)
    }

    @Test func `Gives each element its number and item`() throws {
        let numbers = try ArrayValues(range: "10-20:5")
        #expect((0..<numbers.count).map(numbers.number(at:)) == [10, 15, 20])
        #expect((0..<numbers.count).map(numbers.item(at:)) == ["10", "15", "20"])
        let lines = ArrayValues.lines(["a.txt", "", "b c.txt"])
        #expect((0..<lines.count).map(lines.number(at:)) == [0, 1, 2])
        #expect((0..<lines.count).map(lines.item(at:)) == ["a.txt", "", "b c.txt"])
    }

    @Test func `Numbers beyond the range wrap and do not trap`() {
        let values = ArrayValues.numbers(first: .max, step: .max, count: 3)
        _ = (0..<3).map(values.number(at:))
    }
}
