import Glibc

/// Why a process was not started: a value, whose description is a sentence for whoever asked for it.
public struct LaunchFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of thing stood in the way.
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

        /// Its termination was asked for before it was started.
        case terminated

        /// The supervisor has been shut down.
        case shutDown
    }

    /// What kind of thing stood in the way.
    public var reason: Reason

    /// The system's number of the reason, as in errno; 0 where the system was not asked.
    public var code: Int32

    /// What could not be done, to what, and why.
    public var description: String

    /// Whether the program was there for a moment before it was killed again.
    public var hasRun = false

    /// Whether the host stood in the way, and not what was asked for: elsewhere, or later, it can be started.
    public var isHostFault: Bool {
        switch reason {
        case .resources: true
        case .program, .directory, .standardInput, .output: Self.hostFaults.contains(code)
        case .invalid, .terminated, .shutDown: false
        }
    }

    /// What a system says that has run out of something, or whose disks are failing.
    private static let hostFaults: Set<Int32> = [
        EAGAIN, ENOMEM, EMFILE, ENFILE, ENOBUFS, ENOSPC, EDQUOT, EROFS, EIO, ESTALE,
    ]

    init(_ reason: Reason, code: Int32 = 0, _ description: String) {
        self.reason = reason
        self.code = code
        self.description = description
    }

    static let terminatedBeforeStart = LaunchFailure(.terminated, "its termination was asked for before it was started")

    static let supervisorShutDown = LaunchFailure(.shutDown, "it was not started: no more processes are taken on")
}
