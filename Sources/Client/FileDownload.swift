@_spi(Baton) public import BatonOperations
@_spi(Baton) import BatonWire

/// Reads a file that an operation left, or a part of one, in order and with several requests under way.
///
/// ```swift
/// var download = FileDownload(of: address, path: file.path, size: UInt64(file.size), over: connection)
/// while let bytes = try await download.next() { try part.write(bytes) }
/// ```
///
/// Either all bytes come, or an error (FI10). The digest is the caller's to check: a part of a file has none. Requests that are under way
/// are given up with the last copy of the value.
@_spi(Baton) public struct FileDownload: Sendable {
    /// The number of requests under way: the way to the worker that has the file may be long.
    private static let window = 8

    private let operation: Address
    private let path: String
    private let size: UInt64
    private let end: UInt64
    private let timeout: Duration?
    private let channel: any RequestChannel
    /// Where the next request begins.
    private var nextRequest: UInt64
    /// Where the bytes of ``next()`` begin.
    private var position: UInt64
    private var requests: [PieceRequest] = []

    /// Prepares to read; the first call of ``next()`` asks for the first pieces.
    ///
    /// - Parameters:
    ///   - operation: the operation that left the file.
    ///   - path: the path of the file below the operation's directory.
    ///   - size: the number of bytes of the file.
    ///   - start: the first byte to read.
    ///   - end: the first byte behind those to read; nil to read until the end of the file.
    ///   - channel: the way to the coordinator.
    ///   - timeout: how long the answer to each request may take.
    public init(
        of operation: Address,
        path: String,
        size: UInt64,
        from start: UInt64 = 0,
        to end: UInt64? = nil,
        over channel: any RequestChannel,
        timeout: Duration? = nil
    ) {
        self.operation = operation
        self.path = path
        self.size = size
        self.end = min(end ?? size, size)
        self.channel = channel
        self.timeout = timeout
        nextRequest = start
        position = start
    }

    /// The next bytes, at least one; nil at the end.
    ///
    /// - Throws: ``ClientError``; `refused` if nobody gives the file at present or the requester may not read it, `malformedReply` if the
    ///   file is not what it was, and `cancelled` if the task is cancelled.
    public mutating func next() async throws(ClientError) -> [UInt8]? {
        guard position < end else { return nil }
        while requests.count < Self.window, nextRequest < end { begin() }
        guard let request = requests.first else { return nil }
        requests.removeFirst()
        let reply: Reply
        switch await request.answer() {
        case .success(.refused(let refusal)): throw .refused(refusal, request.content)
        case .success(let other): reply = other
        case .failure(let error): throw error
        }
        guard case .filePiece(let piece) = reply else { throw .wrongKind }
        guard piece.size == size, piece.offset == position, !piece.bytes.isEmpty, piece.bytes.count <= request.length
        else {
            throw .malformedReply(
                "the file \"\(path.asShown)\" of \(operation.asShown) is not what it was. Begin again."
            )
        }
        position += UInt64(piece.bytes.count)
        // After a shorter piece than was asked for, the requests under way begin too late.
        if piece.bytes.count < request.length {
            requests = []
            nextRequest = position
        }
        return piece.bytes
    }

    private mutating func begin() {
        let length = min(end - nextRequest, UInt64(FilePiece.maximumLength))
        let content = Request.filePiece(operation, path: path, offset: nextRequest, limit: UInt32(length))
        requests.append(PieceRequest(content, length: Int(length), over: channel, timeout: timeout))
        nextRequest += length
    }
}
