/// The address of a peer behind a ROUTER socket, valid while the peer's connection lives.
///
/// An address is not an identity: libzmq makes up an address of five bytes for each connection, unless the peer set
/// its own. Addresses of up to eight bytes are kept without an allocation; libzmq allows 255 bytes at most. A part of the
/// process that is served like a peer has an address that no peer behind a socket can have.
@_spi(Baton) public struct RoutingID: Hashable, Sendable {
    private enum Storage: Hashable, Sendable {
        /// The bytes in the order of memory, the rest zero.
        case short(UInt64, count: UInt8)
        case long([UInt8])
        /// The number of a part of this process.
        case inProcess(UInt64)
    }

    private let storage: Storage

    /// Creates an id from 1 to 255 bytes; nil for any other number of bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard (1...255).contains(bytes.count) else { return nil }
        let bytes = Array(bytes)
        self = bytes.withUnsafeBytes { RoutingID(copying: $0) }
    }

    /// The address of a part of this process; a socket knows no such peer.
    public init(inProcess number: UInt64) {
        storage = .inProcess(number)
    }

    /// The number of a part of this process; nil for a peer behind a socket.
    public var inProcessNumber: UInt64? {
        if case .inProcess(let number) = storage { number } else { nil }
    }

    /// The id that libzmq delivered in a frame.
    init(copying bytes: UnsafeRawBufferPointer) {
        if bytes.count <= MemoryLayout<UInt64>.size {
            var word: UInt64 = 0
            withUnsafeMutableBytes(of: &word) { $0.copyMemory(from: bytes) }
            storage = .short(word, count: UInt8(bytes.count))
        } else {
            storage = .long(Array(bytes))
        }
    }

    /// The number of bytes; 0 for a part of this process.
    public var count: Int {
        switch storage {
        case .short(_, let count): Int(count)
        case .long(let bytes): bytes.count
        case .inProcess: 0
        }
    }

    /// A copy of the bytes.
    public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// Calls `body` with the bytes, valid until `body` returns.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        switch storage {
        case .short(let word, let count):
            try Swift.withUnsafeBytes(of: word) { try body(UnsafeRawBufferPointer(rebasing: $0.prefix(Int(count)))) }
        case .long(let bytes):
            try bytes.withUnsafeBytes(body)
        case .inProcess:
            try body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }
}

@_spi(Baton) extension RoutingID: CustomStringConvertible {
    /// The bytes in hexadecimal digits, for logs.
    public var description: String {
        inProcessNumber.map { "in-process \($0)" }
            ?? bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
