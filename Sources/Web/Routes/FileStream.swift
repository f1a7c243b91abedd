@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The bytes of a file that an operation has left, as an answer that is written piece by piece.
struct FileStream: Sendable {
    /// The bytes that may wait for a slow client before the next piece is asked for.
    private static let mostPending = FilePiece.maximumLength

    private let connection: any WebConnection
    private let stream: HTTPStream
    private let operation: Address
    private let path: String
    private let size: UInt64

    /// The body of an answer with some bytes of a file.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - size: the number of bytes of the whole file.
    ///   - range: the bytes, at least one.
    /// - Throws: the refusal of a file that the caller may not read, or whose bytes cannot be had; then nothing is sent.
    static func open(
        for context: RouteContext,
        _ operation: Address,
        _ path: String,
        size: UInt64,
        _ range: Range<UInt64>
    ) async throws(WebRefusal) -> HTTPStream {
        let isHead = context.request.head.method == "HEAD"
        // The first piece before the head of the answer, so that a refusal has its own status.
        let limit = isHead ? 1 : Self.limit(of: range)
        let reply: Reply
        do throws(WebRefusal) {
            reply = try await context.ask(.filePiece(operation, path: path, offset: range.lowerBound, limit: limit))
        } catch {
            guard error.code == Refusal.Code.unavailable.rawValue, error.status == 404 else { throw error }
            throw WebRefusal(503, error.code, error.message, headers: ["Retry-After": "10"])
        }
        let stream = try context.openStream()
        let file = FileStream(
            connection: context.connection,
            stream: stream,
            operation: operation,
            path: path,
            size: size
        )
        guard let first = file.bytes(of: reply, at: range.lowerBound) else {
            stream.discard()
            throw .unexpected
        }
        guard !isHead else {
            stream.end()
            return stream
        }
        let task = Task { await file.write(first, of: range) }
        stream.whenOver { _ in task.cancel() }
        return stream
    }

    /// Writes the bytes as fast as the client takes them.
    private func write(_ first: [UInt8], of range: Range<UInt64>) async {
        var bytes = first
        var offset = range.lowerBound
        while true {
            guard stream.write(bytes), await stream.wait(untilPending: Self.mostPending) else { return }
            offset += UInt64(bytes.count)
            guard offset < range.upperBound else { return stream.end() }
            let limit = Self.limit(of: offset..<range.upperBound)
            let reply = await connection.ask(.filePiece(operation, path: path, offset: offset, limit: limit))
            guard let next = reply.flatMap({ self.bytes(of: $0, at: offset) }) else {
                // The client has to notice that the file is cut.
                return stream.abandon()
            }
            bytes = next
        }
    }

    /// The bytes of a piece; nil for another answer, and for a piece of another file.
    private func bytes(of reply: Reply, at offset: UInt64) -> [UInt8]? {
        guard case .filePiece(let piece) = reply, piece.offset == offset, piece.size == size, !piece.bytes.isEmpty,
            UInt64(piece.bytes.count) <= size - offset
        else { return nil }
        return piece.bytes
    }

    private static func limit(of range: Range<UInt64>) -> UInt32 {
        UInt32(min(UInt64(range.count), UInt64(FilePiece.maximumLength)))
    }
}
