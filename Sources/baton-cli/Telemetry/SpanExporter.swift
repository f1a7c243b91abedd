@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTelemetry
@_spi(Baton) import BatonThreads

/// Posts spans in batches, until the receiver has taken them or has refused them for good.
struct SpanExporter {
    /// The most spans of a request.
    static let batchSize = 512
    /// How often an export that is to come to an end tries to reach a receiver.
    private static let mostAttempts = 6

    private let settings: TraceSettings
    private let resource: SpanResource
    /// Whether the export gives up a receiver that is away, instead of waiting for it.
    private let endsWithoutReceiver: Bool
    private let isQuiet: Bool
    private var pauses = RetryPauses(seed: .random(in: .min ... .max))
    private var waiting: [Span] = []
    private var lastPartial: String?

    /// The number of spans that the receiver has taken.
    private(set) var accepted = 0
    /// The number of spans that the receiver has refused for good.
    private(set) var rejected = 0

    init(_ settings: TraceSettings, _ resource: SpanResource, endsWithoutReceiver: Bool, isQuiet: Bool) {
        self.settings = settings
        self.resource = resource
        self.endsWithoutReceiver = endsWithoutReceiver
        self.isQuiet = isQuiet
    }

    /// Takes spans, and posts all full batches.
    ///
    /// - Throws: ``CommandFailure`` if the receiver takes nothing from this exporter, and `CancellationError`.
    mutating func add(_ spans: [Span]) async throws {
        waiting += spans
        var posted = 0
        while waiting.count - posted >= Self.batchSize {
            try await post(waiting[posted..<posted + Self.batchSize])
            posted += Self.batchSize
        }
        waiting.removeFirst(posted)
    }

    /// Posts what is left.
    mutating func flush() async throws {
        guard !waiting.isEmpty else { return }
        try await post(waiting[...])
        waiting = []
    }

    private mutating func post(_ spans: ArraySlice<Span>) async throws {
        let body = resource.request(with: spans)
        while true {
            try Task.checkCancellation()
            switch exchange(body) {
            case .success(.accepted(let rejected, let message)):
                noteSuccess()
                let rejected = min(Int(clamping: rejected), spans.count)
                accepted += spans.count - rejected
                if rejected > 0 || message != nil { notePartial(rejected, message) }
                self.rejected += rejected
                return
            case .success(.again(let asked)):
                try await wait(asked: asked, because: "it is not able to take spans now")
            case .success(.tooLarge) where spans.count > 1:
                let middle = spans.startIndex + spans.count / 2
                try await post(spans[..<middle])
                try await post(spans[middle...])
                return
            case .success(.tooLarge):
                return refuse(spans, "status 413")
            case .success(.refused(let message)):
                return refuse(spans, message ?? "no reason")
            // A receiver that has taken spans before may be starting again behind a proxy, or with other credentials.
            case .success(.unusable(let reason, _, _)) where accepted > 0:
                try await wait(asked: nil, because: reason)
            case .success(.unusable(let reason, let advice, let isPermission)):
                throw CommandFailure(
                    isPermission ? ExitStatus.notAllowed : ExitStatus.unreachable,
                    code: "otlp",
                    "\(settings.endpoint) takes no spans: \(reason).",
                    advice: advice
                )
            case .failure(let failure):
                try await wait(asked: nil, because: failure.description)
            }
        }
    }

    private func exchange(_ body: [UInt8]) -> Result<ExportOutcome, HTTPExchange.Failure> {
        do throws(HTTPExchange.Failure) {
            let answer = try HTTPExchange.post(body, to: settings.endpoint, headers: settings.headers)
            return .success(ExportOutcome(of: answer, at: .now))
        } catch {
            return .failure(error)
        }
    }

    private mutating func wait(asked: Duration?, because reason: String) async throws {
        // Who ends the command has no use for what the receiver did to the last request.
        try Task.checkCancellation()
        let delay = pauses.next(asked: asked)
        if endsWithoutReceiver, pauses.failures >= Self.mostAttempts {
            throw CommandFailure(
                ExitStatus.unreachable,
                code: "otlp",
                "\(settings.endpoint) takes no spans after \(pauses.failures) attempts: \(reason).",
                advice: "Start a receiver of OTLP over HTTP there, or name another with --endpoint."
            )
        }
        if pauses.failures == 1 { note("\(settings.endpoint) takes no spans: \(reason). Trying again until it does.") }
        try await pause(for: delay)
    }

    private mutating func noteSuccess() {
        if pauses.failures > 0 { note("\(settings.endpoint) takes spans again.") }
        pauses.reset()
    }

    /// Prints the `partialSuccess` of an accepted request, and each message of it once.
    private mutating func notePartial(_ rejected: Int, _ message: String?) {
        let words = message.map { ": \($0)" } ?? "."
        guard rejected > 0 || lastPartial != words else { return }
        lastPartial = words
        note(
            rejected > 0
                ? "\(settings.endpoint) has rejected \(Self.count(rejected))\(words)"
                : "\(settings.endpoint) says\(words)"
        )
    }

    private mutating func refuse(_ spans: ArraySlice<Span>, _ reason: String) {
        noteSuccess()
        rejected += spans.count
        let ids = Set(spans.compactMap(\.job)).sorted().prefix(5).joined(separator: ", ")
        note(
            "\(settings.endpoint) has refused \(Self.count(spans.count)) of job \(ids) (\(reason)). They are left out; once it takes them, "
                + "export the job again with --once --job."
        )
    }

    private static func count(_ spans: Int) -> String { spans == 1 ? "1 span" : "\(spans) spans" }

    private func note(_ sentence: String) {
        if !isQuiet { Output.note(sentence) }
    }
}

extension Span {
    /// The number of the job.
    fileprivate var job: String? {
        attributes.lazy.compactMap { attribute -> String? in
            guard attribute.key == "cicd.pipeline.run.id", case .text(let text) = attribute.value else { return nil }
            return text
        }.first
    }
}
