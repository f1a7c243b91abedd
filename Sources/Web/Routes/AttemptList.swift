@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The attempts of an operation, first to last: those that the record keeps, and the last one.
struct AttemptList: Document {
    /// The operation.
    let operation: OperationID
    /// The attempts, at most ``AttemptRecord/maximumCount`` and the last one.
    private(set) var attempts: [ListedAttempt]

    /// Takes the attempts out of an operation's document, which lists the earlier ones and itself tells of the last one.
    init(_ document: OperationDocument) {
        operation = document.operation
        attempts = (document.attempts ?? []).map { ListedAttempt($0) }
        // The last attempt of an operation that waits for its next one, or was cancelled then, is among the earlier attempts.
        guard !attempts.contains(where: { $0.attempt == document.attempt }), let last = ListedAttempt(lastOf: document)
        else { return }
        attempts.append(last)
    }

    /// Asks for the lengths of the outputs; they stay unknown where nobody may read the output or has it.
    ///
    /// - Complexity: two questions an attempt.
    mutating func readLengths(with context: RouteContext) async throws(WebRefusal) {
        for index in attempts.indices {
            let stdout = try await length(of: .standardOutput, attempts[index], context)
            guard stdout != nil else { continue }
            attempts[index].stdoutBytes = stdout
            attempts[index].stderrBytes = try await length(of: .standardError, attempts[index], context)
        }
    }

    private func length(
        of stream: OutputStream,
        _ attempt: ListedAttempt,
        _ context: RouteContext
    ) async throws(WebRefusal) -> UInt64? {
        let reply = await context.connection.ask(
            .log(.operation(operation), attempt: attempt.attempt, stream, offset: 0, limit: 1)
        )
        switch reply {
        case nil: throw .noAnswer
        case .output(let chunk)?:
            // While an operation waits for its next attempt, the output of the last one is not read yet; and of an attempt that was
            // lost with its worker, an empty output says nothing.
            let isKnown =
                attempt.end == .executing || chunk.isComplete && (chunk.totalLength > 0 || attempt.end != .lost)
            return isKnown ? chunk.totalLength : nil
        default: return nil
        }
    }
}
