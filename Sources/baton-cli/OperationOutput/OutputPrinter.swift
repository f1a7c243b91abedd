@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Prints recorded output, and gets from the workers what the record does not have.
struct OutputPrinter {
    /// The bytes of one step back in search of the last lines.
    private static let step: UInt64 = 1 << 16
    /// A position behind the end of every stream.
    private static let behindTheEnd = UInt64(Int64.max)

    /// The lines.
    var lines: LineOutput
    /// The most lines from the end of each stream; nil for all.
    var mostLines: UInt32?
    private let missing: MissingOutput
    private let connection: ClientConnection

    /// - Parameters:
    ///   - mostLines: the most lines from the end of each stream; nil for all.
    ///   - missing: what is told of output that is no longer stored.
    init(lines: LineOutput, mostLines: UInt32?, missing: MissingOutput, on connection: ClientConnection) {
        self.lines = lines
        self.mostLines = mostLines
        self.missing = missing
        self.connection = connection
    }

    /// Prints all pages of outputs, and what executing operations have printed so far.
    mutating func printAll(_ selection: OutputSelection) async throws {
        try await OutputPages(selection, on: connection).read { page in
            try await print(page, of: selection) { printer, execution in
                try await printer.printPresent(execution, of: selection)
            }
            try lines.flush()
        }
    }

    /// Prints a page in the order of its operations, and passes the executions among them to a closure.
    mutating func print(
        _ page: OutputPage,
        of selection: OutputSelection,
        _ executing: (inout OutputPrinter, OutputPage.Execution) async throws -> Void
    ) async throws {
        var executions = page.executions[...]
        var last: OutputPage.Piece?
        for piece in page.pieces {
            while let execution = executions.first, execution.operation < piece.operation {
                try await executing(&self, execution)
                executions = executions.dropFirst()
            }
            // The attempt has ended since the coordinator looked for executions.
            if executions.first == OutputPage.Execution(operation: piece.operation, attempt: piece.attempt) {
                executions = executions.dropFirst()
            }
            if let last, last.operation != piece.operation {
                lines.forget(OperationID(job: selection.job, index: last.operation))
            }
            try await printEnded(piece, of: selection.job)
            last = piece
        }
        for execution in executions { try await executing(&self, execution) }
    }

    /// Prints what an executing operation has printed so far; a worker that does not answer is named.
    private mutating func printPresent(_ execution: OutputPage.Execution, of selection: OutputSelection) async throws {
        let operation = OperationID(job: selection.job, index: execution.operation)
        for stream in OutputStream.allCases where selection.wants(stream) {
            let source = OutputSource(operation: operation, attempt: execution.attempt, stream: stream)
            do {
                let start = try await start(of: source)
                _ = try await printPresent(source, from: start)
            } catch let error as ClientError where error.refusal?.code == .unavailable {
                missing.note("The output of \(operation) is missing here: its worker does not answer.")
            } catch let error as ClientError where error.refusal?.code == .notFound {
                // The attempt has been given back, and has printed nothing.
            }
            try await lines.end(source)
        }
    }

    /// Prints the recorded output of a stream whose attempt has ended.
    ///
    /// - Parameter printed: how many bytes of the stream have been printed already.
    mutating func printEnded(_ piece: OutputPage.Piece, of job: JobNumber, after printed: UInt64 = 0) async throws {
        let source = OutputSource(
            operation: OperationID(job: job, index: piece.operation),
            attempt: piece.attempt,
            stream: piece.stream
        )
        if piece.isLost {
            try lines.flush()
            return try missing.noteLoss(of: source)
        }
        if !piece.isWhole, piece.offset > printed {
            let start = printed > 0 ? printed : try await self.start(of: source)
            let read = try await printPresent(source, from: start, upTo: piece.offset)
            try noteGap(from: read, to: piece.offset, of: source)
        }
        let known = piece.bytes.dropFirst(Int(clamping: printed - min(printed, piece.offset)))
        let first = max(piece.offset, printed)
        try await lines.add(Array(known), of: source, at: first)
        try await lines.end(source)
    }

    /// Prints what a stream of a running attempt has so far, from a position on.
    ///
    /// - Parameter end: where to stop; nil for the end of the stream.
    /// - Returns: the position behind the last printed byte.
    mutating func printPresent(
        _ source: OutputSource,
        from start: UInt64,
        upTo end: UInt64? = nil
    ) async throws -> UInt64 {
        var offset = start
        while offset < end ?? .max {
            let chunk = try await chunk(of: source, from: offset, limit: end.map { $0 - offset })
            if chunk.offset >= end ?? .max { return offset }
            try noteGap(from: offset, to: chunk.offset, of: source)
            let bytes = chunk.bytes.prefix(Int(clamping: (end ?? .max) - chunk.offset))
            try await lines.add(Array(bytes), of: source, at: chunk.offset)
            offset = max(offset, chunk.offset + UInt64(bytes.count))
            if offset >= chunk.totalLength || bytes.isEmpty { return offset }
        }
        return offset
    }

    /// The position of the first wanted line; searches from the end, and reads no more than the wanted lines and one step.
    mutating func start(of source: OutputSource) async throws -> UInt64 {
        guard let mostLines else { return 0 }
        let end = try await chunk(of: source, from: Self.behindTheEnd, limit: 1).totalLength
        guard mostLines > 0 else { return end }
        var rest = mostLines
        var upper = end
        while upper > 0 {
            let lower = upper - min(upper, Self.step)
            let (start, bytes) = try await bytes(of: source, in: lower..<upper)
            for position in bytes.indices.reversed() where bytes[position] == UInt8(ascii: "\n") {
                // A newline at the end of the stream belongs to the last line.
                guard start + UInt64(position) + 1 < end else { continue }
                rest -= 1
                if rest == 0 { return start + UInt64(position) + 1 }
            }
            // What comes before is no longer kept, and has the rest of the wanted lines.
            if start > lower {
                try noteGap(from: 0, to: start, of: source)
                return start
            }
            upper = lower
        }
        return 0
    }

    /// The kept part of a range of a stream, which ends with the range.
    private func bytes(
        of source: OutputSource,
        in range: Range<UInt64>
    ) async throws -> (start: UInt64, bytes: [UInt8]) {
        var (start, bytes) = (range.lowerBound, [UInt8]())
        while start + UInt64(bytes.count) < range.upperBound {
            let offset = start + UInt64(bytes.count)
            let chunk = try await chunk(of: source, from: offset, limit: range.upperBound - offset)
            if chunk.offset > offset { (start, bytes) = (min(chunk.offset, range.upperBound), []) }
            let part = chunk.bytes.prefix(Int(clamping: range.upperBound - start - UInt64(bytes.count)))
            guard !part.isEmpty else { break }
            bytes += part
        }
        return (start, bytes)
    }

    private mutating func noteGap(from offset: UInt64, to end: UInt64, of source: OutputSource) throws {
        guard end > offset else { return }
        try lines.flush()
        try missing.note(from: offset, to: end, of: source)
    }

    private func chunk(of source: OutputSource, from offset: UInt64, limit: UInt64?) async throws -> OutputChunk {
        try await connection.log(
            .operation(source.operation),
            attempt: source.attempt,
            source.stream,
            from: offset,
            limit: UInt32(clamping: min(limit ?? .max, UInt64(OutputChunk.maximumLength))),
            timeout: GlobalOptions.answerTimeout
        )
    }
}
