/// The reason for which a worker cannot start or go on.
public struct WorkerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of reason.
    public enum Code: Hashable, Sendable {
        /// An option has an unusable value.
        case invalid
        /// The directory cannot be used.
        case directory
        /// Another worker uses the directory.
        case directoryInUse
        /// The coordinator refuses this worker, or another worker has taken the place.
        case refused
        /// The system has no room for a thread, a socket or a descriptor.
        case system
    }

    /// The kind of reason.
    public var code: Code
    /// The failure, its subject, and the remedy.
    public var description: String

    /// Describes the reason for which a worker cannot start or go on.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
