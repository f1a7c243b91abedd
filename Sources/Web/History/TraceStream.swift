@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTraces

/// The trace of a job as an answer that is written bit by bit.
enum TraceStream {
    /// The most attempts of a trace whose request has no limit.
    static let usualLimit = 100_000
    /// The most attempts of a trace.
    static let mostAttempts = 10_000_000

    /// The document for the description of the interface.
    static let description = AnswerDocument(
        named: "Trace",
        [
            Schema.Member(name: "displayTimeUnit", schema: .words(["ms"])),
            Schema.Member(name: "otherData", schema: .anyObject),
            Schema.Member(name: "traceEvents", schema: .list(.anyObject)),
        ]
    ).aging

    /// The bytes that may wait for a slow client before the trace is read on.
    private static let mostPending = 256 << 10

    /// The answer to a request for a trace, after all pages of the history have come: a refusal then has its own status.
    static func response(
        to context: RouteContext,
        of job: JobNumber,
        limit: Int
    ) async throws(WebRefusal) -> HTTPResponse {
        guard let place = context.history.traces.take(), let stream = context.request.openStream() else {
            throw WebRefusal(
                503,
                "unavailable",
                "Too many traces or streams are open. Try again later.",
                headers: ["Retry-After": "10"]
            )
        }
        // Before the pages, which then miss nothing up to this event.
        let newest = context.newestEvent
        var trace = TraceWriter(temporaryFilesIn: context.history.temporaryDirectory, mostShown: limit)
        try await context.forEachPage(of: job) { page throws(WebRefusal) in
            do throws(TraceError) { try trace.add(page) } catch { throw WebRefusal(error) }
        }
        var document: TraceDocument?
        do throws(TraceError) { document = try trace.takeDocument() } catch { throw WebRefusal(error) }
        guard var document else { throw .unexpected }
        document.newestEvent = newest
        place.beginSending { stream.abandon() }
        let feed = TraceFeed(document, place)
        let task = Task { await feed.write(to: stream, mostPending: mostPending) }
        stream.whenOver { _ in task.cancel() }
        var response = HTTPResponse(type: Route.Answer.json.type, [])
        response.headers.add(.disposition, "attachment; filename=\"baton-\(job).json\"")
        response.body = .stream(stream)
        return response
    }
}

/// Writes a trace to a stream.
private actor TraceFeed {
    private var document: TraceDocument
    /// Held until the document is written, or until the client is too slow.
    private let place: TracePlaces.Place

    init(_ document: sending TraceDocument, _ place: TracePlaces.Place) {
        self.document = document
        self.place = place
    }

    /// Writes the document as fast as the client takes it.
    func write(to stream: HTTPStream, mostPending: Int) async {
        do throws(TraceError) {
            while let piece = try document.next() {
                guard stream.write(piece), await stream.wait(untilPending: mostPending) else { return }
                place.note(sent: piece.count)
            }
            stream.end()
        } catch {
            // The client has to notice that the document is cut.
            stream.abandon()
        }
    }
}

extension WebRefusal {
    /// The refusal of a trace for which there is no room.
    fileprivate init(_ error: TraceError) {
        self.init(503, "unavailable", error.message)
    }
}
