@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Follows the output of an operation through all its attempts.
struct OutputFollower {
    /// The usual interval between checks for new output.
    static let interval = Duration.milliseconds(50)

    /// The part of the output to write.
    enum Start {
        /// All output, from that of the first attempt on.
        case beginning
        /// The output that the operation writes from now on.
        case now
    }

    private let operation: OperationID
    private let streams: [OutputStream]
    private let connection: ClientConnection
    private let sink: OutputSink
    private let waiter: OperationID?
    private let interval: Duration
    private var attempt: UInt32 = 1
    private var readers: [OutputReader] = []

    /// Prepares to follow an operation.
    ///
    /// - Parameters:
    ///   - waiter: the running operation that follows the output, if any; a wait without a possible end is refused (WA3).
    ///   - interval: the time between checks for new output; the end is noticed at once.
    init(
        of operation: OperationID,
        _ streams: [OutputStream],
        on connection: ClientConnection,
        into sink: OutputSink,
        by waiter: OperationID?,
        every interval: Duration = Self.interval
    ) {
        self.operation = operation
        self.streams = streams
        self.connection = connection
        self.sink = sink
        self.waiter = waiter
        self.interval = interval
        readers = makeReaders()
    }

    /// Leaves out the output that the operation has written so far.
    ///
    /// If the worker is away, its present attempt is not left out, because nobody knows how much it has written.
    mutating func skipWhatIsThere() async throws {
        attempt = max(1, try await document().attempt)
        readers = makeReaders()
        do {
            for index in readers.indices { try await readers[index].skipWhatIsThere() }
        } catch let error as ClientError where error.refusal?.code == .notFound || error.refusal?.code == .unavailable {
            // The attempt has not begun, or its worker is away for the moment.
        }
    }

    /// Writes the output on arrival, until the operation is finished and all output is written.
    ///
    /// - Parameters:
    ///   - cancellation: the cancellation of the job by the caller; after a cancellation, the method waits only for executing
    ///     operations.
    ///   - notice: tells why the operation cannot run; nil for nothing.
    /// - Returns: the coordinator's document of the operation at its end.
    @discardableResult
    mutating func followToEnd(
        or cancellation: JobCancellation? = nil,
        notice: StandstillNotice? = nil
    ) async throws -> OperationDocument {
        _ = try await awaitEnd(or: cancellation, notice: notice, takesOutputs: false)
        return try await writeRest()
    }

    /// Writes the output as ``followToEnd(or:notice:)`` does, with the fewest requests: the output of an operation of which nothing was
    /// written before comes with its end, if it is short.
    ///
    /// - Returns: the coordinator's document of the operation at its end; nil for an operation that has succeeded.
    mutating func followToOutcome(
        or cancellation: JobCancellation? = nil,
        notice: StandstillNotice? = nil
    ) async throws -> OperationDocument? {
        let end = try await awaitEnd(or: cancellation, notice: notice, takesOutputs: true)
        guard let pieces = end.outputs else { return try await writeRest() }
        for piece in pieces where streams.contains(piece.stream) {
            let length = UInt64(piece.bytes.count)
            let chunk = OutputChunk(offset: 0, bytes: piece.bytes, totalLength: length, isComplete: true)
            try await sink.receive(chunk, of: piece.stream, attempt: piece.attempt, after: 0)
        }
        guard end.counts.succeeded == 0 else { return nil }
        return try await document()
    }

    /// Writes output on arrival, until there is nothing left to wait for.
    ///
    /// - Parameter takesOutputs: whether to ask for all output together with the end while nothing is written.
    private mutating func awaitEnd(
        or cancellation: JobCancellation?,
        notice: StandstillNotice?,
        takesOutputs: Bool
    ) async throws -> WaitProgress {
        let cancellation = cancellation ?? JobCancellation(of: .operation(operation), on: connection)
        // An attempt may have ended before the first look, and the next one may begin much later.
        var mayHavePrinted = true
        while true {
            let (progress, isOver) = try await cancellation.progress(
                of: [.operation(operation)],
                by: waiter,
                atMost: interval,
                outputs: takesOutputs && attempt == 1 && readers.allSatisfy { $0.isAtStart }
            )
            if isOver { return progress }
            await notice?.look(at: progress)
            let isExecuting = progress.counts.executing > 0
            if isExecuting || attempt > 1 || mayHavePrinted { try await advance() }
            mayHavePrinted = isExecuting
        }
    }

    /// Writes what is left of the output of an operation that has ended, and returns its document.
    private mutating func writeRest() async throws -> OperationDocument {
        // Nearly all operations have one attempt: its output is asked for together with the document.
        var ahead = readers.map { $0.readAhead() }
        let end = try await document()
        while attempt <= end.attempt {
            for index in readers.indices {
                _ = try await readers[index].readWhatIsThere(first: ahead.isEmpty ? nil : ahead[index])
            }
            ahead = []
            nextAttempt()
        }
        return end
    }

    private func document() async throws -> OperationDocument {
        let document = try await connection.document(
            .operation(.operation(operation)),
            timeout: GlobalOptions.answerTimeout
        )
        return try DocumentReader.exact(OperationDocument.self, from: document)
    }

    /// Writes new output, and continues with the next attempt after the end of the current attempt.
    private mutating func advance() async throws {
        do {
            var isOver = true
            for index in readers.indices where try await !readers[index].readWhatIsThere() { isOver = false }
            if isOver { nextAttempt() }
        } catch let error as ClientError where error.refusal?.code == .notFound || error.refusal?.code == .unavailable {
            // The attempt has not begun, or its worker is away for the moment; the output comes later.
        }
    }

    private mutating func nextAttempt() {
        attempt += 1
        readers = makeReaders()
    }

    private func makeReaders() -> [OutputReader] {
        streams.map { OutputReader(of: operation, attempt: attempt, $0, on: connection, into: sink) }
    }
}
