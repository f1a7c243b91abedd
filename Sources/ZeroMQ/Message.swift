import CBatonZeroMQ

/// The body of a received message, owned: the memory goes back to libzmq with the value.
///
/// The bytes stay in libzmq's memory, up to 33 bytes in the value itself. A message may move to another thread.
@_spi(Baton) public struct Message: ~Copyable, Sendable {
    /// libzmq moves its messages bit by bit as well, so the value may move in memory as long as it has a single owner.
    private let storage: zmq_msg_t

    /// The number of frames of the sender's message, without an address; any number but 1 is malformed.
    public let frameCount: Int

    /// Takes over a message that libzmq has initialised.
    init(adopting storage: zmq_msg_t) {
        self.storage = storage
        frameCount = 1
    }

    /// Creates an empty message in place of a message with a wrong number of frames.
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

    /// Whether the message had more or fewer frames than one; then all frames were dropped and the message is empty.
    public var isMalformed: Bool { frameCount != 1 }

    /// The number of bytes.
    public var count: Int { withUnsafePointer(to: storage) { zmq_msg_size($0) } }

    /// A copy of the bytes.
    ///
    /// - Complexity: O(`count`), with one allocation.
    public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// Calls `body` with the bytes, valid until `body` returns.
    public borrowing func withUnsafeBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try withUnsafePointer(to: storage) { pointer in
            // libzmq asks for a mutable message only because the function returns mutable bytes.
            let start = zmq_msg_data(UnsafeMutablePointer(mutating: pointer))
            return try body(UnsafeRawBufferPointer(start: start, count: zmq_msg_size(pointer)))
        }
    }

    /// Whether another frame of the same message follows.
    var hasMore: Bool { withStorage { zmq_msg_more($0) != 0 } }

    /// Calls `body` with libzmq's message, to be read.
    func withStorage<Result>(_ body: (UnsafePointer<zmq_msg_t>) -> Result) -> Result {
        withUnsafePointer(to: storage, body)
    }
}
