@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonBenchmarks

@Suite("Links of a chain")
struct LinkTests {
    private static func moment(_ milliseconds: Int64) -> Timestamp { Timestamp(rawValue: milliseconds * 1000) }

    /// The times of the links that start at 0, 1, 3, 13 and 15 ms, in a period of whole milliseconds.
    private static func times(during period: ClosedRange<Int64>) -> [Double] {
        Sample(
            linksOf: [0, 1, 3, 13, 15].map(moment),
            during: moment(period.lowerBound)...moment(period.upperBound)
        ).sorted
    }

    @Test("The links during a period include the one that was held up beyond its end, and the one that began before it")
    func heldUp() {
        #expect(Self.times(during: 0...20) == [1, 2, 2, 10])
        #expect(Self.times(during: 2...4) == [2, 10])
        #expect(Self.times(during: 5...6) == [10])
    }

    @Test("A period after the last start, and a chain of one link, have no times")
    func nothing() {
        #expect(Self.times(during: 16...20) == [])
        #expect(Sample(linksOf: [Self.moment(1)], during: Self.moment(0)...Self.moment(2)).sorted == [])
    }
}
