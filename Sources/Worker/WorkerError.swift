/// Why a worker cannot start, or cannot go on.
public struct WorkerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of reason it is.
    public enum Code: Hashable, Sendable {
        /// An option has a value that cannot be used.
        case invalid
        /// The directory cannot be used.
        case directory
        /// Another worker uses the directory.
        case directoryInUse
        /// The coordinator does not take this worker, or gave its place to another one.
        case refused
        /// The system has no room for a thread, a socket or a descriptor.
        case system
    }

    /// What kind of reason it is.
    public var code: Code
    /// What happened, to what, and what to do.
    public var description: String

    /// States why a worker cannot start or go on.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
