/// What arrives at the coordinator's port: workers and clients dial the same one.
public enum Incoming: Hashable, Sendable {
    /// A worker's message.
    case worker(WorkerMessage)
    /// A client's message.
    case client(ClientMessage)

    /// Decodes a message of a worker or a client.
    ///
    /// - Throws: ``WireError`` where the bytes are not exactly one such message, or are the hello of a peer that speaks no
    ///   common version.
    /// - Complexity: O(length), in time and memory, whatever the bytes are.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        self = try ByteReader.decode(bytes) { type, reader throws(WireError) in
            type.isFromWorker
                ? .worker(try WorkerMessage(type, from: &reader)) : .client(try ClientMessage(type, from: &reader))
        }
    }
}
