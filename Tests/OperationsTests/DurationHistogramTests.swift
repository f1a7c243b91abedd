import Testing

@_spi(Baton) @testable import BatonOperations

@Suite("Histograms of durations", .timeLimit(.minutes(60)))
struct DurationHistogramTests {
    @Test("A duration falls into the first bucket with a bound that is not smaller")
    func buckets() {
        let bounds = DurationHistogram.bounds
        #expect(bounds.first == 16 && bounds.last == 1 << 37 && bounds == bounds.sorted())
        var durations: [Int64] = [0, 1, 9, .max, .max - 1, 1 << 62]
        for bound in bounds { durations += [bound - 1, bound, bound + 1] }
        for shift in 0..<63 { durations += [Int64(1) << shift, (Int64(1) << shift) - 1] }
        for duration in durations {
            var histogram = DurationHistogram()
            histogram.add(microseconds: duration)
            let bucket = bounds.firstIndex { duration <= $0 } ?? bounds.count
            #expect(histogram.counts.firstIndex(of: 1) == bucket, "\(duration)")
            #expect(histogram.count == 1 && histogram.sum == duration)
        }
    }

    @Test("A negative duration counts as 0, and sums saturate")
    func extremes() {
        var histogram = DurationHistogram()
        histogram.add(microseconds: .min)
        #expect(histogram.counts[0] == 1 && histogram.sum == 0)
        histogram.add(microseconds: .max)
        histogram.add(microseconds: .max)
        #expect(histogram.count == 3 && histogram.sum == .max)
    }
}
