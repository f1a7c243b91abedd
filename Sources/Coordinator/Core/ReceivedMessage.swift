@_spi(Baton) import BatonOperations
@_spi(Baton) package import BatonWire

/// A decoded message, or the error of the decoding.
///
/// Any thread may decode a message, since decoding does not depend on the cluster's state.
package struct ReceivedMessage: Sendable {
    /// What a message says.
    enum Content: Sendable {
        /// A worker's message.
        case worker(WorkerMessage)
        /// A client's hello, with the proof that the client acts for an operation.
        case hello(ProtocolRange, proof: Secret?)
        /// A client's request with its number.
        case request(UInt64, ReceivedRequest)
        /// A piece of a file that a worker gives, with the whole message.
        case piece(PassedPiece.Head, [UInt8])
    }

    /// The content of the message.
    let content: Result<Content, WireError>
    /// The number of a request that cannot be decoded; nil for any other message.
    let request: UInt64?
    /// The length of the message in bytes.
    let length: Int

    /// The least length of a large request: decoding this many bytes takes about a millisecond.
    static let leastLargeLength = 64 << 10
    /// Whether the message is large.
    var isLarge: Bool { length >= Self.leastLargeLength }

    /// Decodes a message.
    ///
    /// - Parameters:
    ///   - bytes: the message, valid or not.
    ///   - progress: where to note how much is decoded.
    /// - Complexity: O(length).
    package init(decoding bytes: UnsafeRawBufferPointer, noting progress: ReadingProgress? = nil) {
        length = bytes.count
        do throws(WireError) {
            guard !PassedPiece.isPiece(bytes) else {
                content = .success(.piece(try PassedPiece.Head(decoding: bytes), Array(bytes)))
                request = nil
                return
            }
            content =
                switch try Incoming(decoding: bytes, noting: progress) {
                case .worker(let message): .success(.worker(message))
                case .client(.hello(let protocols, _, let proof)): .success(.hello(protocols, proof: proof))
                case .client(.request(let number, let request)): .success(.request(number, ReceivedRequest(request)))
                }
            request = nil
        } catch {
            content = .failure(error)
            request = ClientMessage.requestNumber(of: bytes)
        }
    }
}
