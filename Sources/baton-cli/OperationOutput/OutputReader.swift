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

    /// Reads all available output.
    ///
    /// - Returns: whether the output is complete.
    mutating func readWhatIsThere() async throws -> Bool {
        while true {
            let chunk = try await connection.log(
                .operation(operation),
                attempt: attempt,
                stream,
                from: offset,
                timeout: GlobalOptions.answerTimeout
            )
            try sink.receive(chunk, of: stream, attempt: attempt, after: offset)
            offset = max(offset, chunk.offset + UInt64(chunk.bytes.count))
            if offset >= chunk.totalLength || chunk.bytes.isEmpty { return chunk.isComplete }
        }
    }
}
