/// Bytes for a message, written once in the memory from which libzmq sends them.
@_spi(Baton) public final class FilledBytes: Sendable {
    nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

    /// Allocates memory, and has it filled.
    ///
    /// - Parameters:
    ///   - count: the number of bytes.
    ///   - fill: writes all of them, or the message may not be sent.
    public init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        bytes = .allocate(byteCount: count, alignment: 1)
        fill(bytes)
    }

    /// Copies bytes.
    public convenience init(copying body: [UInt8]) {
        self.init(count: body.count) { $0.copyBytes(from: body) }
    }

    deinit { bytes.deallocate() }

    /// The number of bytes.
    public var count: Int { bytes.count }
}
