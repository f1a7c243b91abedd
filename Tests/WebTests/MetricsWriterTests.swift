@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The text format of metrics", .timeLimit(.minutes(60)))
struct MetricsWriterTests {
    private func text(_ write: (inout MetricsWriter) -> Void) -> String {
        var writer = MetricsWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("A metric has its help, its type and its samples, whose labels are escaped")
    func samples() {
        let written = text { writer in
            writer.begin("baton_x", .gauge, "What it is.")
            writer.sample(3)
            writer.sample(0.25, ["queue": "a\"b\\c\nd", "state": "ready"])
            writer.sample(1e9, ["queue": "ü"])
        }
        #expect(
            written == """
                # HELP baton_x What it is.
                # TYPE baton_x gauge
                baton_x 3
                baton_x{queue="a\\"b\\\\c\\nd",state="ready"} 0.25
                baton_x{queue="ü"} 1000000000

                """
        )
    }

    @Test("A histogram is cumulative, and loses nothing to the bounds that are left out")
    func histogram() throws {
        var histogram = DurationHistogram()
        for duration: Int64 in [5, 900, 1_000, 1_001, 30_000, 7_000_000_000_000] {
            histogram.add(microseconds: duration)
        }
        let written = text { writer in
            writer.begin("baton_t_seconds", .histogram, "Times.")
            writer.sample(HistogramDocument(histogram), bounds: 1_000...100_000, ["queue": "q"])
        }
        #expect(
            written == """
                # HELP baton_t_seconds Times.
                # TYPE baton_t_seconds histogram
                baton_t_seconds_bucket{queue="q",le="0.001"} 3
                baton_t_seconds_bucket{queue="q",le="0.0025"} 4
                baton_t_seconds_bucket{queue="q",le="0.005"} 4
                baton_t_seconds_bucket{queue="q",le="0.01"} 4
                baton_t_seconds_bucket{queue="q",le="0.025"} 4
                baton_t_seconds_bucket{queue="q",le="0.05"} 5
                baton_t_seconds_bucket{queue="q",le="0.1"} 5
                baton_t_seconds_bucket{queue="q",le="+Inf"} 6
                baton_t_seconds_sum{queue="q"} 7000000.032906
                baton_t_seconds_count{queue="q"} 6

                """
        )
    }
}
