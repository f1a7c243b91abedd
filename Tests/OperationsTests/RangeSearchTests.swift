@_spi(Baton) import BatonOperations
import Testing

@Suite("Binary search in a range")
struct RangeSearchTests {
    @Test("The search finds the first number for which the condition holds, and the end for none", arguments: 0...17)
    func finds(_ count: Int) {
        let range = 3..<3 + count
        for boundary in 3...range.upperBound {
            var calls = 0
            let found = range.binarySearch { number in
                #expect(range.contains(number))
                calls += 1
                return number >= boundary
            }
            #expect(found == boundary)
            #expect(calls <= 5)
        }
    }
}
