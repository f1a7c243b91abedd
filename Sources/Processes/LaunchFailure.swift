import Glibc

/// The reason for which a process was not started, with a sentence for the caller.
@_spi(Baton) public struct LaunchFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of obstacle.
    public enum Reason: Sendable, Hashable {
        /// The arguments or the environment cannot be passed on.
        case invalid

        /// The program cannot be run.
        case program

        /// The working directory cannot be entered.
        case directory

        /// The file for standard input cannot be read.
        case standardInput

        /// A file for an output stream cannot be written.
        case output

        /// The system has no room for another process, or another descriptor.
        case resources

        /// The program does not fit into its limit of memory.
        case memory

        /// The termination was requested before the start.
        case terminated

        /// The supervisor has been shut down.
        case shutDown
    }

    /// The kind of obstacle.
    public var reason: Reason

    /// The system's errno; 0 if the system was not asked.
    public var code: Int32

    /// The failed action, its subject, and the reason.
    public var description: String

    /// Whether the program ran for a moment before it was killed.
    public var hasRun = false

    /// Whether the start of the process was reported before the failure.
    ///
    /// A process that has to wait for the other end of a named pipe, one of its streams, counts as started while it waits.
    public var followsStart = false

    /// Whether the obstacle is the host, not the request: on another host, or later, the process can be started.
    public var isHostFault: Bool {
        switch reason {
        case .resources: true
        case .program, .directory, .standardInput, .output: Self.hostFaults.contains(code)
        case .invalid, .memory, .terminated, .shutDown: false
        }
    }

    /// The errors of a system that has run out of a resource, or whose disks are failing.
    private static let hostFaults: Set<Int32> = [
        EAGAIN, ENOMEM, EMFILE, ENFILE, ENOBUFS, ENOSPC, EDQUOT, EROFS, EIO, ESTALE,
    ]

    init(_ reason: Reason, code: Int32 = 0, _ description: String) {
        self.reason = reason
        self.code = code
        self.description = description
    }

    static let terminatedBeforeStart = LaunchFailure(.terminated, "its termination was requested before it was started")

    static let supervisorShutDown = LaunchFailure(.shutDown, "it was not started: the supervisor is shutting down")
}
