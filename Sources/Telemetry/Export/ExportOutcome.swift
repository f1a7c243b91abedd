@_spi(Baton) import BatonJSON
@_spi(Baton) public import BatonOperations

/// What a receiver of spans says to a request, and what follows for the exporter.
@_spi(Baton) public enum ExportOutcome: Hashable, Sendable {
    /// The receiver has the spans, without so many of them; it may say something about it.
    case accepted(rejected: Int64, message: String?)
    /// The receiver is not able now: the same request is sent again, not before the time that it asks for.
    case again(after: Duration?)
    /// The request is too large: it is sent again in parts.
    case tooLarge
    /// The receiver never takes these spans: they are given up.
    case refused(message: String?)
    /// The receiver takes no spans at all from this exporter, for a reason that is a part of a sentence, until somebody follows the
    /// advice.
    case unusable(String, advice: String, isPermission: Bool)

    /// Decides about an answer, as the specification of OTLP/HTTP says.
    ///
    /// - Parameters:
    ///   - answer: the answer.
    ///   - now: the present moment, for a time to wait until.
    public init(of answer: HTTPAnswer, at now: Timestamp) {
        switch answer.status {
        case 200..<300:
            let partial = Self.partialSuccess(answer.body)
            self = .accepted(rejected: partial.rejected, message: partial.message)
        case 429, 502, 503, 504:
            self = .again(after: answer.headers["retry-after"].flatMap { Self.pause($0, at: now) })
        case 413: self = .tooLarge
        case 401, 403:
            self = .unusable(
                "it wants to know who sends (status \(answer.status))",
                advice: "Give credentials in OTEL_EXPORTER_OTLP_HEADERS, such as authorization=Bearer%20TOKEN.",
                isPermission: true
            )
        case 300..<400:
            let place = answer.headers["location"].map { ", location \($0.prefix(200).asText)" } ?? ""
            self = .unusable(
                "it is elsewhere (status \(answer.status)\(place))",
                advice: "Give the address there with --endpoint.",
                isPermission: false
            )
        case 404, 405:
            self = .unusable(
                "nothing takes spans at that address (status \(answer.status))",
                advice:
                    "Give the address of a receiver of OTLP over HTTP with --endpoint, without \(TraceEndpoint.path).",
                isPermission: false
            )
        default:
            let words = Self.message(answer.body).map { ": \($0)" } ?? ""
            self = .refused(message: "status \(answer.status)\(words)")
        }
    }

    /// The most that a receiver may ask to wait.
    public static let longestPause = Duration.seconds(300)

    /// The time that a receiver asks to wait: a number of seconds, or a date; nil for another text.
    private static func pause(_ text: String, at now: Timestamp) -> Duration? {
        if let seconds = Int64(text.prefix { $0 != " " }), seconds >= 0 {
            return min(.seconds(min(seconds, 1 << 32)), longestPause)
        }
        return HTTPDate.moment(text).map { min(max(.zero, $0 - now), longestPause) }
    }

    /// What a successful answer says about spans that were not taken.
    private static func partialSuccess(_ body: [UInt8]) -> (rejected: Int64, message: String?) {
        guard case .object(let members)? = JSONValue(String(decoding: body, as: UTF8.self)),
            case .object(let partial)? = members["partialSuccess"]
        else { return (0, nil) }
        var rejected: Int64 = 0
        switch partial["rejectedSpans"] {
        case .integer(let number)?: rejected = max(0, number)
        case .string(let text)?: rejected = max(0, Int64(text) ?? 0)
        default: break
        }
        guard case .string(let message)? = partial["errorMessage"], !message.isEmpty else { return (rejected, nil) }
        return (rejected, message.prefix(500).asText)
    }

    /// The message of an answer about an error: that of a status in JSON, or the first line of a text.
    private static func message(_ body: [UInt8]) -> String? {
        let text = String(decoding: body, as: UTF8.self)
        if case .object(let members)? = JSONValue(text) {
            guard case .string(let message)? = members["message"], !message.isEmpty else { return nil }
            return message.prefix(500).asText
        }
        guard let line = text.split(separator: "\n").first, line.allSatisfy({ $0.isASCII }) else { return nil }
        return line.prefix(200).asText
    }
}

extension Substring {
    /// The text as people may see it on a terminal.
    fileprivate var asText: String { String(self).asShown }
}
