import CBatonZeroMQ

/// The body of a received message, owned: its memory goes back to libzmq with the value.
///
/// The bytes lie where libzmq put them, up to 33 of them in the value itself. A message may move to another thread.
public struct Message: ~Copyable, Sendable {
    /// libzmq moves its messages bit by bit as well, so the value may change its place as long as it has one owner.
    private let storage: zmq_msg_t

    /// How many frames the sender's message had, not counting an address; anything but 1 is malformed.
    public let frameCount: Int

    /// Takes over a message that libzmq has initialised.
    init(adopting storage: zmq_msg_t) {
        self.storage = storage
        frameCount = 1
    }

    /// An empty message that stands for one of a wrong number of frames.
    init(malformedOf frameCount: Int) {
        var storage = zmq_msg_t()
        zmq_msg_init(&storage)
        self.storage = storage
        self.frameCount = frameCount
    }

    deinit {
        var storage = storage
        zmq_msg_close(&storage)
    }

    /// Whether the message had more or fewer frames than one, in which case all were dropped and it is empty.
    public var isMalformed: Bool { frameCount != 1 }

    /// How many bytes it has.
    public var count: Int { withUnsafePointer(to: storage) { zmq_msg_size($0) } }

    /// A copy of its bytes.
    ///
    /// - Complexity: O(`count`), with one allocation.
    public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// Calls `body` with the bytes, which are valid until it returns.
    public borrowing func withUnsafeBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try withUnsafePointer(to: storage) { pointer in
            // libzmq asks for a mutable message only because it returns mutable bytes.
            let start = zmq_msg_data(UnsafeMutablePointer(mutating: pointer))
            return try body(UnsafeRawBufferPointer(start: start, count: zmq_msg_size(pointer)))
        }
    }

    /// Whether this frame is followed by another one of the same message.
    var hasMore: Bool { withUnsafePointer(to: storage) { zmq_msg_more($0) != 0 } }
}
