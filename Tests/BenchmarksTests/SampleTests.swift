import Testing

@_spi(Baton) @testable import BatonBenchmarks

@Suite("Samples and percentiles")
struct SampleTests {
    @Test("A percentile is a measured value, chosen by its place in the order of size")
    func percentiles() {
        let sample = Sample((1...200).reversed().map(Double.init))
        #expect(sample.percentile(0) == 1)
        #expect(sample.percentile(50) == 100)
        #expect(sample.percentile(99) == 198)
        #expect(sample.percentile(100) == 200)
    }

    @Test("The median of an even number of values lies between the two in the middle")
    func medians() {
        #expect(Sample([4, 1, 3]).median == 3)
        #expect(Sample([4, 1, 3, 2]).median == 2.5)
        #expect(Sample([7]).percentile(1) == 7)
    }

    @Test("An empty sample has neither a median nor a percentile")
    func nothing() {
        #expect(Sample([]).median == nil)
        #expect(Sample([]).percentile(99) == nil)
    }

    @Test("The figures of several rounds are joined by name, in the order of the first round")
    func rounds() {
        let rounds = [3.0, 1, 2].map { value in
            var figures = Figures()
            figures.add(.submitSeconds, value)
            figures.add(.growthBytes, nil)
            figures.add(.linkMilliseconds, .microseconds(500), per: 10, in: .milliseconds(1))
            return figures
        }
        let joined = Figures.joined(rounds)
        #expect(joined.map(\.figure) == [.submitSeconds, .linkMilliseconds])
        #expect(joined.map(\.sample.sorted) == [[1, 2, 3], [0.05, 0.05, 0.05]])
        #expect(Figures.joined([]).isEmpty)
    }
}
