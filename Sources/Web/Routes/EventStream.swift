@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Server-sent events: the events of the cluster behind a number, until the client leaves.
struct EventStream: Sendable {
    /// The most events that are asked for at once.
    private static let pageLength: UInt32 = 1_000
    /// How long the stream says nothing; a client that has left is noticed only when something is written.
    private static let silence = Duration.seconds(15)
    /// How long the stream waits for events at once: a token that was revoked meanwhile ends the stream soon.
    private static let patience = Duration.seconds(1)
    /// The bytes that may wait for a slow client before the stream stops to read further events.
    private static let mostPending = 256 << 10
    /// A comment that keeps the connection alive.
    private static let comment = Array(": \n\n".utf8)

    private let context: RouteContext
    private let stream: HTTPStream
    private let selection: EventSelection?

    /// The answer to a request for events: a stream of them.
    ///
    /// The first events come before the answer: a refusal then has its own status.
    ///
    /// - Parameters:
    ///   - since: the number of the last event that the client knows.
    ///   - job: the only job of interest; nil for all events.
    /// - Throws: the refusal of a number that no event has yet, or of events that cannot be read.
    static func response(
        to context: RouteContext,
        since: UInt64,
        of job: JobNumber?
    ) async throws(WebRefusal) -> HTTPResponse {
        let selection = job.map { EventSelection(jobs: [$0]) }
        guard case .events(let first) = try await context.ask(request(since: since, atMost: .zero, of: selection))
        else { throw .unexpected }
        let stream = try context.openStream()
        let events = EventStream(context: context, stream: stream, selection: selection)
        let task = Task { await events.run(since: since, first: first) }
        stream.whenOver { _ in task.cancel() }
        return .events(stream)
    }

    private static func request(since: UInt64, atMost time: Duration, of selection: EventSelection?) -> Request {
        .watch(since: since, limit: pageLength, atMost: time, of: selection)
    }

    /// Writes events until the stream is over.
    private func run(since: UInt64, first: EventPage) async {
        var last = since
        var page = first
        var quiet = Duration.zero
        stream.write("retry: 2000\n\n".utf8)
        // The coordinator looks at a key when it is asked, and may answer after the key was revoked.
        while context.isAdmitted {
            var bytes: [UInt8] = []
            if page.missed > 0 {
                bytes += "id: \(last + page.missed)\nevent: missed\ndata: {\"count\":\(page.missed)}\n\n".utf8
            }
            for line in page.lines.split(separator: 0x0A) { bytes += Self.event(of: line) }
            last = page.last
            quiet = bytes.isEmpty ? quiet + Self.patience : .zero
            if quiet >= Self.silence { (bytes, quiet) = (Self.comment, .zero) }
            guard stream.write(bytes), await stream.wait(untilPending: Self.mostPending), !Task.isCancelled,
                case .events(let next)? = await context.connection.ask(
                    Self.request(since: last, atMost: Self.patience, of: selection)
                )
            else { break }
            page = next
        }
        stream.end()
    }

    /// One event of the stream, from a line of `watch`, which begins with the number and has the kind.
    ///
    /// An event about several operations takes as many numbers. Its `id` is the last of these numbers, so that a client with this
    /// `Last-Event-ID` gets the next event.
    static func event(of line: ArraySlice<UInt8>) -> [UInt8] {
        let kind = line.value(ofKey: "\"event\":\"") { $0 != UInt8(ascii: "\"") }
        var number = line.number(ofKey: "\"seq\":") ?? 0
        if kind.elementsEqual("operation".utf8), let count = line.number(ofKey: "\"count\":") { number += count - 1 }
        return Array("id: \(number)\nevent: ".utf8) + kind + Array("\ndata: ".utf8) + line + [0x0A, 0x0A]
    }
}

extension ArraySlice<UInt8> {
    /// The bytes behind the first occurrence of a key, as long as they belong to its value.
    fileprivate func value(ofKey key: StaticString, while isValue: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        // With the search of the standard library, eight streams of old events took a third of the coordinator's processor time.
        let key = UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
        let place = indices.first { self[$0] == key.first && self[$0...].starts(with: key) }
        guard let place else { return [] }
        return self[(place + key.count)...].prefix(while: isValue)
    }

    /// The number behind the first occurrence of a key; nil without one.
    fileprivate func number(ofKey key: StaticString) -> UInt64? {
        UInt64(String(decoding: value(ofKey: key) { (0x30...0x39).contains($0) }, as: UTF8.self))
    }
}
