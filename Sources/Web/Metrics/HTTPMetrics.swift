@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Synchronization

/// What the web interface has answered since its start.
final class HTTPMetrics: Sendable {
    private struct RouteFigures {
        var codes: [Int: UInt64] = [:]
        var times = DurationHistogram()
    }

    private struct State {
        var routes: [String: RouteFigures] = [:]
        var streams = 0
        var certificateExpiration: Int64?
    }

    private let state = Mutex(State())

    /// Counts an answer.
    ///
    /// - Parameters:
    ///   - route: the path of the route, without values; nil for a request without a route.
    ///   - duration: the time from the request until its answer or the beginning of its stream.
    func note(_ status: Int, of route: String?, after duration: Duration) {
        state.withLock { state in
            state.routes[route ?? "none", default: RouteFigures()].codes[status, default: 0] += 1
            state.routes[route ?? "none"]?.times.add(microseconds: duration.microseconds)
        }
    }

    /// Counts a stream until its end.
    func note(_ stream: HTTPStream) {
        state.withLock { $0.streams += 1 }
        stream.whenOver { [self] _ in state.withLock { $0.streams -= 1 } }
    }

    /// Notes when the certificate expires that is in use, in seconds since 1970; nil without a certificate.
    func noteCertificate(expiringAt seconds: Int64?) {
        state.withLock { $0.certificateExpiration = seconds }
    }

    /// Writes the metrics.
    func write(to writer: inout MetricsWriter) {
        let state = state.withLock { $0 }
        let routes = state.routes.sorted { $0.key < $1.key }
        writer.begin("baton_http_requests_total", .counter, "Answers of the web interface by route and status.")
        for (route, figures) in routes {
            for (code, count) in figures.codes.sorted(by: { $0.key < $1.key }) {
                writer.sample(count, ["route": route, "code": String(code)])
            }
        }
        writer.begin("baton_http_request_seconds", .histogram, "Time until an answer, or the beginning of its stream.")
        for (route, figures) in routes {
            writer.sample(HistogramDocument(figures.times), from: .microseconds(100), ["route": route])
        }
        writer.begin("baton_http_streams", .gauge, "Open streams of the web interface.")
        writer.sample(state.streams)
        if let seconds = state.certificateExpiration {
            writer.begin(
                "baton_http_certificate_expiry_timestamp_seconds",
                .gauge,
                "When the certificate of the web interface expires, in seconds since 1970."
            )
            writer.sample(seconds)
        }
    }
}
