@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Reads an output stream of an attempt in pieces, from the beginning.
struct OutputReader {
    private let operation: OperationID
    private let attempt: UInt32
    private let stream: OutputStream
    private let connection: ClientConnection
    private let sink: OutputSink
    private var offset: UInt64 = 0

    /// Whether nothing of the stream has been read or left out.
    var isAtStart: Bool { offset == 0 }

    init(
        of operation: OperationID,
        attempt: UInt32,
        _ stream: OutputStream,
        on connection: ClientConnection,
        into sink: OutputSink
    ) {
        self.operation = operation
        self.attempt = attempt
        self.stream = stream
        self.connection = connection
        self.sink = sink
    }

    /// Leaves out all available output.
    mutating func skipWhatIsThere() async throws {
        let chunk = try await connection.log(
            .operation(operation),
            attempt: attempt,
            stream,
            from: offset,
            limit: 1,
            timeout: GlobalOptions.answerTimeout
        )
        offset = max(offset, chunk.totalLength)
    }

    /// Asks for the next piece already, for ``readWhatIsThere(first:)``.
    func readAhead() -> Task<OutputChunk, any Error> { Task { [self] in try await next() } }

    /// Reads all available output.
    ///
    /// - Parameter first: the answer to ``readAhead()``; after a failure, the method asks itself.
    /// - Returns: whether the output is complete.
    mutating func readWhatIsThere(first: Task<OutputChunk, any Error>? = nil) async throws -> Bool {
        var chunk: OutputChunk
        if let ahead = try? await first?.value { chunk = ahead } else { chunk = try await next() }
        while true {
            try await sink.receive(chunk, of: stream, attempt: attempt, after: offset)
            offset = max(offset, chunk.offset + UInt64(chunk.bytes.count))
            if offset >= chunk.totalLength || chunk.bytes.isEmpty { return chunk.isComplete }
            chunk = try await next()
        }
    }

    /// Asks for the next piece.
    private func next() async throws -> OutputChunk {
        try await connection.log(
            .operation(operation),
            attempt: attempt,
            stream,
            from: offset,
            timeout: GlobalOptions.answerTimeout
        )
    }
}
