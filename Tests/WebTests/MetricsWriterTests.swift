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

    @Test("The expiry of a certificate is a metric where there is one")
    func certificate() {
        let metrics = HTTPMetrics()
        let name = "baton_http_certificate_expiry_timestamp_seconds"
        #expect(!text { metrics.write(to: &$0) }.contains(name))
        metrics.noteCertificate(expiringAt: 1_800_000_000)
        #expect(text { metrics.write(to: &$0) }.hasSuffix("\(name) 1800000000\n"))
    }

    @Test("A histogram is cumulative, and loses nothing to the bounds that are left out")
    func histogram() throws {
        var histogram = DurationHistogram()
        for duration: Int64 in [5, 900, 1_000, 1_001, 30_000, 7_000_000_000_000] {
            histogram.add(microseconds: duration)
        }
        let written = text { writer in
            writer.begin("baton_t_seconds", .histogram, "Times.")
            writer.sample(HistogramDocument(histogram), from: .milliseconds(1), ["queue": "q"])
        }
        #expect(
            written == """
                # HELP baton_t_seconds Times.
                # TYPE baton_t_seconds histogram
                baton_t_seconds_bucket{queue="q",le="0.001024"} 4
                baton_t_seconds_bucket{queue="q",le="0.002048"} 4
                baton_t_seconds_bucket{queue="q",le="0.004096"} 4
                baton_t_seconds_bucket{queue="q",le="0.008192"} 4
                baton_t_seconds_bucket{queue="q",le="0.016384"} 4
                baton_t_seconds_bucket{queue="q",le="0.032768"} 5
                baton_t_seconds_bucket{queue="q",le="0.065536"} 5
                baton_t_seconds_bucket{queue="q",le="0.131072"} 5
                baton_t_seconds_bucket{queue="q",le="0.262144"} 5
                baton_t_seconds_bucket{queue="q",le="0.524288"} 5
                baton_t_seconds_bucket{queue="q",le="1.048576"} 5
                baton_t_seconds_bucket{queue="q",le="2.097152"} 5
                baton_t_seconds_bucket{queue="q",le="4.194304"} 5
                baton_t_seconds_bucket{queue="q",le="8.388608"} 5
                baton_t_seconds_bucket{queue="q",le="16.777216"} 5
                baton_t_seconds_bucket{queue="q",le="33.554432"} 5
                baton_t_seconds_bucket{queue="q",le="67.108864"} 5
                baton_t_seconds_bucket{queue="q",le="134.217728"} 5
                baton_t_seconds_bucket{queue="q",le="268.435456"} 5
                baton_t_seconds_bucket{queue="q",le="536.870912"} 5
                baton_t_seconds_bucket{queue="q",le="1073.741824"} 5
                baton_t_seconds_bucket{queue="q",le="2147.483648"} 5
                baton_t_seconds_bucket{queue="q",le="4294.967296"} 5
                baton_t_seconds_bucket{queue="q",le="8589.934592"} 5
                baton_t_seconds_bucket{queue="q",le="17179.869184"} 5
                baton_t_seconds_bucket{queue="q",le="34359.738368"} 5
                baton_t_seconds_bucket{queue="q",le="68719.476736"} 5
                baton_t_seconds_bucket{queue="q",le="137438.953472"} 5
                baton_t_seconds_bucket{queue="q",le="+Inf"} 6
                baton_t_seconds_sum{queue="q"} 7000000.032906
                baton_t_seconds_count{queue="q"} 6

                """
        )
    }
}
