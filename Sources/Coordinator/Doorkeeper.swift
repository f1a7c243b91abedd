import BatonLogging
import BatonOperations
import BatonZeroMQ

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Ends connections for which there are too few descriptors, and says so: those that are there are served.
///
/// Descriptors are given by the lowest free number. So a connection that gets one of the last of them is one too many.
final class Doorkeeper {
    /// What tells of the connections that come.
    let watch: AcceptWatch

    private let logger: Logger
    /// The first descriptor that no connection may have.
    private let end: Int32
    private let limit: Int
    private var saidAt: Timestamp?

    /// How many descriptors are kept for what else the coordinator opens.
    private static let reserve = 16
    /// How often it is said at most.
    private static let pause = Duration.seconds(60)

    /// Watches a socket that is not bound yet, within the present limit of open files.
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

    /// Ends those that have come and are too many.
    func turnAway(at now: Timestamp) throws(ZeroMQError) {
        var isAnyTurnedAway = false
        while let arrival = try watch.next() {
            switch arrival {
            case .accepted(let descriptor):
                guard descriptor >= end else { continue }
                watch.end(descriptor: descriptor)
                isAnyTurnedAway = true
            case .failed: isAnyTurnedAway = true
            }
        }
        guard isAnyTurnedAway, saidAt.map({ $0 + Self.pause <= now }) ?? true else { return }
        saidAt = now
        logger.error(
            "connections are turned away: there are as many as the limit of open files allows; raise it (ulimit -n)",
            metadata: ["limit": "\(limit)"]
        )
    }
}
