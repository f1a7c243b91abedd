/// A message that arrives at the coordinator's port, which workers and clients share.
@_spi(Baton) public enum Incoming: Hashable, Sendable {
    /// A worker's message.
    case worker(WorkerMessage)
    /// A client's message.
    case client(ClientMessage)

    /// Decodes a message of a worker or a client.
    ///
    /// - Parameter progress: where to note how much is decoded.
    /// - Throws: ``WireError`` unless the bytes are exactly one message of this kind, and for the hello of a peer without a
    ///   common version.
    /// - Complexity: O(length), in time and memory, for any bytes.
    public init(
        decoding bytes: UnsafeRawBufferPointer,
        noting progress: ReadingProgress? = nil
    ) throws(WireError) {
        self = try ByteReader.decode(bytes, noting: progress) { type, reader throws(WireError) in
            type.isFromWorker
                ? .worker(try WorkerMessage(type, from: &reader)) : .client(try ClientMessage(type, from: &reader))
        }
    }
}
