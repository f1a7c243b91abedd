@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonZeroMQ

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Closes new connections and logs an error when descriptors run out, so that existing connections stay served.
///
/// The kernel assigns the lowest free descriptor. A connection that gets one of the last descriptors is therefore one too
/// many.
final class Doorkeeper {
    /// Reports newly accepted connections.
    let watch: AcceptWatch

    private let logger: Logger
    /// The lowest descriptor that no connection may have.
    private let end: Int32
    private let limit: Int
    private var saidAt: Timestamp?

    /// The number of descriptors reserved for the coordinator's other files.
    private static let reserve = 16
    /// The shortest time between two log entries.
    private static let pause = Duration.seconds(60)

    /// Watches a socket before its binding, with the present limit of open files.
    init(of socket: Socket, _ logger: Logger) throws(ZeroMQError) {
        watch = try AcceptWatch(of: socket)
        self.logger = logger
        var files = rlimit()
        #if canImport(Glibc)
            let code = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        #else
            let code = getrlimit(RLIMIT_NOFILE, &files)
        #endif
        limit = code == 0 ? Int(clamping: files.rlim_cur) : Int(Int32.max)
        end = Int32(clamping: limit - Self.reserve)
    }

    /// Closes the new connections that exceed the limit.
    func turnAway(at now: Timestamp) throws(ZeroMQError) {
        var isAnyTurnedAway = false
        while let arrival = try watch.next() {
            switch arrival {
            case .accepted(let descriptor):
                guard descriptor >= end else { continue }
                watch.end(descriptor: descriptor)
                isAnyTurnedAway = true
            case .failed: isAnyTurnedAway = true
            // The watch was not asked to report handshakes.
            case .handshakeFailed: continue
            }
        }
        guard isAnyTurnedAway, saidAt.map({ $0 + Self.pause <= now }) ?? true else { return }
        saidAt = now
        logger.error(
            "connections are refused: the limit of open files is reached; raise it (ulimit -n)",
            metadata: ["limit": "\(limit)"]
        )
    }
}
