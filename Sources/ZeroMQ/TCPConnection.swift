#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A TCP connection of this process, recognised even after its descriptor has been closed and given to another one.
///
/// libzmq's I/O thread closes descriptors at any time. The kernel gives every socket a number, its cookie, that no later
/// socket has: what is read from the descriptor counts only if the descriptor still has the cookie.
@_spi(Baton) public struct TCPConnection: Hashable, Sendable {
    private let descriptor: Int32
    private let cookie: UInt64

    /// Recognises the socket that has a descriptor now; nil without a socket, or on a system without cookies.
    ///
    /// The caller makes sure that it is the socket of the wanted connection.
    public init?(descriptor: Int32) {
        guard let cookie = Self.cookie(of: descriptor) else { return nil }
        self.descriptor = descriptor
        self.cookie = cookie
    }

    /// What the kernel knows of the connection's bytes; nil once the connection has ended, and where the kernel does not tell.
    ///
    /// - Complexity: three system calls.
    public var activity: ConnectionActivity? {
        guard let activity = Self.activity(of: descriptor), Self.cookie(of: descriptor) == cookie else { return nil }
        return activity
    }

    #if os(Linux)
        private static func cookie(of descriptor: Int32) -> UInt64? {
            var cookie: UInt64 = 0
            var size = socklen_t(MemoryLayout<UInt64>.size)
            return getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0 ? cookie : nil
        }

        private static func activity(of descriptor: Int32) -> ConnectionActivity? {
            var bytes = [UInt8](repeating: 0, count: Information.length)
            var size = socklen_t(bytes.count)
            guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &bytes, &size) == 0,
                Int(size) >= Information.length
            else { return nil }
            var backlog: Int32 = 0
            guard ioctl(descriptor, UInt(TIOCOUTQ), &backlog) == 0 else { return nil }
            return bytes.withUnsafeBytes { bytes in
                func number(at offset: Int) -> UInt32 { bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
                return ConnectionActivity(
                    timeSinceArrival: .milliseconds(number(at: Information.lastArrival)) + Information.longestTick,
                    acknowledged: bytes.loadUnaligned(fromByteOffset: Information.acknowledged, as: UInt64.self),
                    backlog: Int(backlog),
                    roundTrip: .microseconds(number(at: Information.roundTrip))
                )
            }
        }
    #else
        private static func cookie(of descriptor: Int32) -> UInt64? { nil }
        private static func activity(of descriptor: Int32) -> ConnectionActivity? { nil }
    #endif
}

/// Where `struct tcp_info` of the kernel's `linux/tcp.h` has its fields.
///
/// The header of the C library ends before the fields of Linux 4.1, and the two headers cannot be used together.
private enum Information {
    /// `tcpi_last_data_recv`, in milliseconds.
    static let lastArrival = 52
    /// `tcpi_rtt`, in microseconds.
    static let roundTrip = 68
    /// `tcpi_bytes_acked`.
    static let acknowledged = 120
    /// The bytes up to the end of the last of these fields; an earlier kernel returns fewer.
    static let length = 128
    /// The kernel notes arrivals by its ticks, of which there are at least a hundred a second; both ends of a time may be off.
    static let longestTick = Duration.milliseconds(20)
}
