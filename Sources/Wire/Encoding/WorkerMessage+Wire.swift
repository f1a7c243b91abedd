@_spi(Baton) import BatonOperations

@_spi(Baton) extension WorkerMessage {
    /// The message as bytes; the length is linear in the content.
    ///
    /// Nothing is checked: the other side refuses a message with values beyond the stated limits.
    public func encoded() -> [UInt8] { framed() }

    /// Decodes a worker's message.
    ///
    /// - Throws: ``WireError`` unless the bytes are exactly one message of this kind, and for the hello of a worker without a
    ///   common version.
    /// - Complexity: O(length), in time and memory, for any bytes.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        self = try ByteReader.decode(bytes) { type, reader throws(WireError) in
            try WorkerMessage(type, from: &reader)
        }
    }
}

@_spi(Baton) extension WorkerMessage: WireMessage {
    var type: MessageType {
        switch self {
        case .hello: .workerHello
        case .inquire: .leaderInquiry
        case .heartbeat: .workerHeartbeat
        case .report: .report
        case .fetchInputs: .fetchInputs
        case .fetchTypedInputs: .fetchTypedInputs
        case .progress: .workerProgress
        case .stops: .stops
        case .filesHeld: .filesHeld
        case .filesDropped: .filesDropped
        case .filesMissing: .filesMissing
        case .filesNotCopied: .filesNotCopied
        case .fetchProgress: .fetchProgress
        case .fileConnection: .fileConnection
        case .fetchPiece: .fetchPiece
        case .dataAddress: .dataAddress
        case .directBytes: .directBytes
        case .output: .output
        case .health: .workerHealth
        case .distance: .workerDistance
        case .leaving: .leaving
        case .goodbye: .goodbye
        }
    }

    func writeFields(to writer: inout ByteWriter) {
        switch self {
        case .hello(let hello):
            writer.value(hello)
        case .inquire(let inquiry):
            writer.value(inquiry)
        case .heartbeat(let session, let number):
            writer.value(session)
            writer.fixed(number)
        case .health(let session, let fault):
            writer.value(session)
            writer.optional(fault) { $0.text($1) }
        case .distance(let session, let number), .directBytes(let session, let number):
            writer.value(session)
            writer.varint(number)
        case .dataAddress(let session, let address):
            writer.value(session)
            writer.value(address)
        case .leaving(let session), .goodbye(let session), .fileConnection(let session):
            writer.value(session)
        case .report(let session, let report):
            writer.value(session)
            writer.list(report.started)
            writer.list(report.returned)
            writer.list(report.completions)
        case .progress(let session, let progress):
            writer.value(session)
            writer.list(progress)
        case .stops(let session, let stops):
            writer.value(session)
            writer.list(stops)
        case .filesHeld(let session, let digests, let isFirst):
            writer.value(session)
            writer.list(digests)
            writer.flag(isFirst)
        case .filesDropped(let session, let digests, let areDamaged):
            writer.value(session)
            writer.list(digests)
            writer.flag(areDamaged)
        case .filesMissing(let session, let token, let digests):
            writer.value(session)
            writer.value(token)
            writer.list(digests)
        case .filesNotCopied(let session, let digests, let hasRoom):
            writer.value(session)
            writer.list(digests)
            writer.flag(hasRoom)
        case .fetchProgress(let session, let fetches):
            writer.value(session)
            writer.list(fetches)
        case .fetchPiece(let session, let number, let token, let digest, let offset, let limit):
            writer.value(session)
            writer.fixed(number)
            writer.value(token)
            writer.value(digest)
            writer.varint(offset)
            writer.varint(limit)
        case .fetchInputs(let session, let token, let operation),
            .fetchTypedInputs(let session, let token, let operation):
            writer.value(session)
            writer.value(token)
            writer.value(operation)
        case .output(let request, let chunk):
            writer.varint(request)
            writer.optional(chunk)
        }
    }

    init(_ type: MessageType, from reader: inout ByteReader) throws(WireError) {
        switch type {
        case .workerHello: self = .hello(try reader.value())
        case .leaderInquiry: self = .inquire(try reader.value())
        case .workerHeartbeat:
            self = .heartbeat(try reader.value(), number: try reader.fixed("the heartbeat's number"))
        case .report:
            self = .report(
                try reader.value(),
                AttemptReport(
                    started: try reader.attempts("the started attempts"),
                    returned: try reader.attempts("the returned attempts"),
                    completions: try reader.attempts("the completions")
                )
            )
        case .fetchInputs: self = .fetchInputs(try reader.value(), try reader.value(), try reader.value())
        case .fetchTypedInputs:
            self = .fetchTypedInputs(try reader.value(), try reader.value(), try reader.value())
        case .workerProgress: self = .progress(try reader.value(), try reader.attempts("the progress of attempts"))
        case .stops: self = .stops(try reader.value(), try reader.attempts("the stopped attempts"))
        case .filesHeld:
            self = .filesHeld(
                try reader.value(),
                try reader.digests(),
                isFirst: try reader.flag("whether the list is the first")
            )
        case .filesDropped:
            self = .filesDropped(
                try reader.value(),
                try reader.digests(),
                areDamaged: try reader.flag("whether the files are damaged")
            )
        case .filesMissing: self = .filesMissing(try reader.value(), try reader.value(), try reader.digests())
        case .filesNotCopied:
            self = .filesNotCopied(
                try reader.value(),
                try reader.digests(),
                hasRoom: try reader.flag("whether the worker has room")
            )
        case .fetchProgress:
            self = .fetchProgress(try reader.value(), try reader.attempts("how far the files of attempts are"))
        case .fileConnection: self = .fileConnection(try reader.value())
        case .fetchPiece:
            self = .fetchPiece(
                try reader.value(),
                number: try reader.fixed("the request's number"),
                try reader.value(),
                try reader.value(),
                offset: try reader.varint("the offset in a file"),
                limit: try reader.varint("the limit")
            )
        case .dataAddress: self = .dataAddress(try reader.value(), try reader.value())
        case .directBytes:
            self = .directBytes(try reader.value(), try reader.varint("the bytes that have come directly"))
        case .output:
            self = .output(
                request: try reader.varint("the request's number"),
                try reader.optional("the piece of output")
            )
        case .workerHealth:
            self = .health(
                try reader.value(),
                fault: try reader.optional("the worker's fault") { reader throws(WireError) in
                    try reader.sentence("the sentence about the worker's fault")
                }
            )
        case .workerDistance:
            self = .distance(try reader.value(), roundTrip: try reader.varint("the worker's round trip"))
        case .leaving: self = .leaving(try reader.value())
        case .goodbye: self = .goodbye(try reader.value())
        default: throw reader.malformed("the type", "is not one of a worker's messages")
        }
    }
}

extension ByteReader {
    /// Reads a list of what a worker says of its attempts.
    fileprivate mutating func attempts<Element: WireCodable>(_ field: StaticString) throws(WireError) -> [Element] {
        try list(field, atMost: WireLimits.maximumReportedAttempts)
    }
}
