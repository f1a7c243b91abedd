@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The output of attempts that the coordinator asks for.
extension WorkerSession {
    /// Answers from the outbox, or has the files read if the outbox does not have the piece.
    mutating func answer(_ request: OutputRequest) {
        let attempt = attempts[request.token]
        guard let chunk = attempt?.endOfOutput(for: request) else {
            return effects.append(.readOutput(request, isOver: attempt?.isFinished ?? true))
        }
        if isWelcomed { effects.append(.send(.output(request: request.number, chunk))) }
    }
}

extension WorkerSession.Attempt {
    /// The piece of output that a request asks for, if the attempt's result has the piece; nil otherwise.
    ///
    /// A short output has no file any more.
    fileprivate func endOfOutput(for request: OutputRequest) -> OutputChunk? {
        guard operation == request.operation, case .finished(let result) = phase else { return nil }
        let tail = request.stream == .standardOutput ? result.standardOutput : result.standardError
        let start = tail.totalLength - min(UInt64(tail.bytes.count), tail.totalLength)
        guard request.offset >= start else { return nil }
        let bytes = tail.bytes.dropFirst(Int(clamping: request.offset - start)).prefix(Int(request.limit))
        return OutputChunk(
            offset: request.offset,
            bytes: Array(bytes),
            totalLength: tail.totalLength,
            isComplete: true
        )
    }
}
