@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Server-sent events: the output of an operation as it comes, until the operation is finished or the client leaves.
struct LogStream: Sendable {
    /// The most bytes that are asked for at once; as JSON they may be six times as many.
    private static let pieceLength: UInt32 = 16 << 10
    /// The bytes that may wait for a slow client before the stream stops to read further output.
    private static let mostPending = 64 << 10
    /// The time between two looks for output of an executing operation.
    private static let interval = Duration.milliseconds(250)
    /// The time between two looks at an operation that does not execute.
    private static let longInterval = Duration.seconds(1)
    /// How long the stream says nothing; a client that has left is noticed only when something is written.
    private static let silence = Duration.seconds(15)

    private let connection: any WebConnection
    private let stream: HTTPStream
    private let operation: OperationID
    private let output: OutputStream
    private let isOneAttempt: Bool
    private var position: LogPosition

    /// The answer to a request for an output: a stream of it.
    ///
    /// - Parameters:
    ///   - operation: the operation as it is now.
    ///   - position: where the output begins.
    ///   - isOneAttempt: whether the stream ends with the attempt, and not with the operation.
    /// - Throws: the refusal of output that the caller may not read, or of an attempt that never comes.
    static func response(
        to context: RouteContext,
        of operation: OperationDocument,
        _ output: OutputStream,
        from position: LogPosition,
        isOneAttempt: Bool
    ) async throws(WebRefusal) -> HTTPResponse {
        let id = operation.operation
        // A viewer's token sees the operation, but not its output.
        let question = Request.log(.operation(id), attempt: nil, output, offset: 0, limit: 1)
        if case .refused(let refusal)? = await context.connection.ask(question), refusal.code == .notAllowed {
            throw WebRefusal(refusal)
        }
        guard operation.state != .finished || position.attempt <= max(1, operation.attempt) else {
            throw WebRefusal(404, "notFound", "\(id) is finished, and had no attempt \(position.attempt).")
        }
        let stream = try context.openStream()
        let log = LogStream(
            connection: context.connection,
            stream: stream,
            operation: id,
            output: output,
            isOneAttempt: isOneAttempt,
            position: position
        )
        let task = Task {
            var log = log
            await log.run()
        }
        stream.whenOver { _ in task.cancel() }
        return .events(stream)
    }

    /// Writes events until the output or the stream is over.
    private mutating func run() async {
        let first = position.attempt
        stream.write("retry: 2000\n\n".utf8)
        if await isFollowedToEnd(),
            case .document(let bytes)? = await ask(.document(.operation(.operation(operation)))),
            let document = try? OperationDocument.read(bytes)
        {
            for attempt in document.lostOutputs ?? [] where (first...position.attempt).contains(attempt) {
                writeLoss(of: attempt)
            }
            writeEnd(document)
        }
        stream.end()
    }

    /// Writes the output.
    ///
    /// - Returns: false if the stream or the connection to the coordinator is over before the output.
    private mutating func isFollowedToEnd() async -> Bool {
        // The first look is at once.
        var pause = Duration.zero
        var quiet = Duration.zero
        while true {
            let question = Request.wait([.operation(operation)], queue: nil, atMost: pause, waiter: nil)
            guard case .progress(let progress)? = await ask(question) else { return false }
            if progress.isFinished { return await readRest() }
            if progress.counts.executing > 0 {
                let before = position
                switch await read(isLast: false) {
                case .complete where isOneAttempt: return true
                case .complete: position = LogPosition(attempt: position.attempt + 1, offset: 0)
                case .some: break
                case .over: return false
                }
                if position.offset != before.offset { quiet = .zero }
            }
            quiet += pause
            if quiet >= Self.silence {
                quiet = .zero
                guard stream.write(": \n\n".utf8) else { return false }
            }
            pause = progress.counts.executing > 0 ? Self.interval : Self.longInterval
        }
    }

    /// Writes what is left of a finished operation.
    private mutating func readRest() async -> Bool {
        guard case .document(let bytes)? = await ask(.document(.operation(.operation(operation)))),
            let end = try? OperationDocument.read(bytes)
        else { return false }
        while true {
            if case .over = await read(isLast: true) { return false }
            if isOneAttempt || position.attempt >= end.attempt { return true }
            position = LogPosition(attempt: position.attempt + 1, offset: 0)
        }
    }

    /// What the output of an attempt has come to.
    private enum Progress {
        /// All of it is written.
        case complete
        /// What there is so far is written.
        case some
        /// The stream or the connection to the coordinator is over.
        case over
    }

    /// Writes what there is of the present attempt.
    ///
    /// - Parameter isLast: whether the attempt has ended, so that nothing is held back.
    private mutating func read(isLast: Bool) async -> Progress {
        while true {
            let reply = await ask(
                .log(
                    .operation(operation),
                    attempt: position.attempt,
                    output,
                    offset: position.offset,
                    limit: Self.pieceLength
                )
            )
            switch reply {
            case .output(let chunk)?:
                let isAll = chunk.offset + UInt64(chunk.bytes.count) >= chunk.totalLength
                let bytes = isAll && (isLast || chunk.isComplete) ? chunk.bytes[...] : chunk.bytes.wholeCharacters
                if !bytes.isEmpty {
                    position.offset = chunk.offset + UInt64(bytes.count)
                    guard stream.write(event(of: bytes, at: chunk.offset)),
                        await stream.wait(untilPending: Self.mostPending)
                    else { return .over }
                }
                if isAll { return chunk.isComplete ? .complete : .some }
                if bytes.isEmpty { return .some }
            case .refused(let refusal)? where refusal.code == .notFound || refusal.code == .unavailable:
                // The attempt has not begun, or its worker is away for the moment.
                return .some
            default: return .over
            }
        }
    }

    private func ask(_ request: Request) async -> Reply? { await connection.ask(request) }

    private func event(of bytes: ArraySlice<UInt8>, at offset: UInt64) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("stream", output == .standardOutput ? "stdout" : "stderr")
        writer.member("attempt", position.attempt)
        writer.member("offset", offset)
        writer.member("text", String(decoding: bytes, as: UTF8.self))
        writer.endObject()
        return event("output", writer.bytes)
    }

    /// Tells that the output of an attempt was lost; how much that was, nobody knows.
    private func writeLoss(of attempt: UInt32) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("stream", output == .standardOutput ? "stdout" : "stderr")
        writer.member("attempt", attempt)
        writer.endObject()
        stream.write(event("lost", writer.bytes))
    }

    private func writeEnd(_ document: OperationDocument) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("operation", description: document.operation)
        writer.member("attempt", position.attempt)
        writer.member("state", description: document.state)
        writer.member("outcome", description: document.outcome)
        writer.member("reason", document.reason?.rawValue)
        writer.member("exitStatus", document.exitStatus)
        writer.member("signal", document.signal)
        writer.endObject()
        stream.write(event("end", writer.bytes))
    }

    private func event(_ name: String, _ data: [UInt8]) -> [UInt8] {
        Array("id: \(position)\nevent: \(name)\ndata: ".utf8) + data + [0x0A, 0x0A]
    }
}

extension [UInt8] {
    /// The bytes up to the last whole character of UTF-8: without the start of one whose end is yet to come.
    var wholeCharacters: ArraySlice<UInt8> {
        for length in 1...3 where length <= count {
            let byte = self[count - length]
            // A byte that continues a character; its start is in front.
            if byte & 0xC0 == 0x80 { continue }
            let wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return wanted > length ? dropLast(length) : self[...]
        }
        return self[...]
    }
}
