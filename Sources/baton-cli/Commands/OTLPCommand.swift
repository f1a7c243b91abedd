@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTelemetry
@_spi(Baton) import BatonWire

/// The command `baton otlp`.
struct OTLPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "otlp",
        abstract: "Exports jobs and attempts as OpenTelemetry traces, until Ctrl-C.",
        discussion: """
            otlp follows the events of the cluster, and posts spans to a receiver of OTLP over HTTP, as JSON. Each job is a trace, or a \
            part of the trace that it was submitted from: its root span is exported once the job is finished, with a span for each \
            attempt that has ended, retries and losses included, and for each operation that was finished without an attempt. Spans \
            link to the last attempts of the operation's dependencies in the job. Commands find the span of their attempt in \
            TRACEPARENT. One otlp for a cluster is enough, and a viewer's key will do.

            Without --endpoint, the address is that of OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, used as it is, or that of \
            OTEL_EXPORTER_OTLP_ENDPOINT. OTEL_EXPORTER_OTLP_HEADERS has further headers (authorization=Bearer%20TOKEN). otlp speaks \
            http alone: for https, name a collector on this host. It waits for a receiver that is away, or that takes no spans any \
            more after it has taken some, and tells of spans that the receiver refuses.

            Every span arrives at least once, always with the same id: otlp goes on to later events when the receiver has the spans of \
            the earlier ones. With --json, each line tells with 'seq' how far it has come: pass the last number to --since to go on \
            after a restart. If the events since then are no longer kept, all jobs are exported again. Of an operation with more than \
            \(AttemptRecord.maximumCount) earlier attempts, the record has the last ones alone.
            """,
        examples: [
            Example("baton otlp", "New spans, to a collector on this host"),
            Example("baton otlp --once --job 12 --endpoint http://tempo:4318", "What there is of job 12"),
            Example("baton otlp --once", "All jobs of the record"),
            Example("baton otlp --since 812 --json >> positions", "Go on after event 812, in a script"),
        ]
    )

    @Option(
        help: ArgumentHelp(
            "Receiver of the spans, without \(TraceEndpoint.path) (env: OTEL_EXPORTER_OTLP_ENDPOINT; default: \(TraceEndpoint.standard)).",
            valueName: "url"
        )
    )
    var endpoint: String?

    @Option(
        help: ArgumentHelp(
            "Export only this job (12, last or nightly): what there is, or what is new after --since; end when the job is finished.",
            valueName: "job"
        )
    )
    var job: JobArgument?

    @Option(
        help: ArgumentHelp(
            "Start after the event with this number; 0 starts with the oldest kept event (default: new events only).",
            valueName: "seq"
        )
    )
    var since: UInt64?

    @Flag(help: "Export what there is, and end: all jobs of the record, or what has happened after --since.")
    var once = false

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let settings: TraceSettings
        do throws(TraceSettingsError) {
            settings = try TraceSettings(endpoint: endpoint) { Surroundings.variable($0) }
        } catch {
            throw CommandFailure(ExitStatus.usage, code: "invalidValue", error.description)
        }
        // After a first answer, wait for an absent coordinator for as long as the user exports.
        let connection = try global.connect(awayLimit: once ? nil : .longestAllowed)
        var number: JobNumber?
        if let job {
            let found = try await AddressResolver(on: connection).number(of: job.job)
            _ = try await connection.document(.job(found, from: 0, limit: 1), timeout: GlobalOptions.answerTimeout)
            number = found
        }
        Output.leaveWhenUnread()
        let exporter = SpanExporter(
            settings,
            SpanResource(version: BatonVersion.current, coordinator: connection.endpoint),
            endsWithoutReceiver: once,
            isQuiet: global.quiet
        )
        let export = SpanExport(exporter, of: number, on: connection, isJSON: global.json, isQuiet: global.quiet)
        try await perform(export)
    }

    private func perform(_ export: SpanExport) async throws {
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        let work = Task { [since, once] in
            var export = export
            do {
                try await export.run(since: since, once: once)
                return (export, nil as (any Error)?)
            } catch {
                return (export, error)
            }
        }
        interruption.onFirst { work.cancel() }
        let (ended, error) = await work.value
        let hasBegun = ended.position != nil || ended.exporter.accepted > 0
        if !global.quiet, error == nil || hasBegun { tell(of: ended, isComplete: error == nil) }
        if let signal = interruption.signal { throw QuietExit(signal: signal) }
        if let error { throw error }
        if once, ended.exporter.rejected > 0 { throw QuietExit(status: ExitStatus.refusedInput) }
    }

    /// Tells how far the export has come.
    private func tell(of export: SpanExport, isComplete: Bool) {
        let (accepted, rejected) = (export.exporter.accepted, export.exporter.rejected)
        var sentence = "Exported \(accepted) span\(accepted == 1 ? "" : "s")"
        if rejected > 0 { sentence += "; \(rejected) more \(rejected == 1 ? "was" : "were") refused" }
        sentence += "."
        if let position = export.position, !(isComplete && job != nil) {
            sentence += " Go on after them with --since \(position)."
        }
        Output.note(sentence)
    }
}
