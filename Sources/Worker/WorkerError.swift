@_spi(Baton) import BatonKeys
@_spi(Baton) public import BatonOperations

/// The reason for which a worker cannot start or go on.
@_spi(Baton) public struct WorkerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of reason.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// An option has an unusable value.
        public static let invalid = Code(rawValue: "invalid")
        /// The directory cannot be used.
        public static let directory = Code(rawValue: "directory")
        /// Another worker uses the directory.
        public static let directoryInUse = Code(rawValue: "directoryInUse")
        /// No name is left for a worker without a given name.
        public static let noName = Code(rawValue: "noName")
        /// The coordinator has no place for this worker, for example because another worker has its name.
        public static let unavailable = Code(rawValue: "unavailable")
        /// Another process replaced this worker at the coordinator.
        public static let superseded = Code(rawValue: "superseded")
        /// Another process runs from a copy of the directory, and replaced this worker at the coordinator.
        public static let copied = Code(rawValue: "copied")
        /// The coordinator refuses this worker for another reason.
        public static let refused = Code(rawValue: "refused")
        /// The coordinator does not admit the worker's key: it is unknown there or was revoked.
        public static let keyRefused = Code(rawValue: "keyRefused")
        /// The coordinator has another key, or one of the two sides runs without keys.
        public static let keyMismatch = Code(rawValue: "keyMismatch")
        /// The kernel does not let the worker limit memory by control groups.
        public static let controlGroup = Code(rawValue: "controlGroup")
        /// Another process listens at the address of `--data`, from which other workers read files.
        public static let addressInUse = Code(rawValue: "addressInUse")
        /// The host does not have the address of `--data`, from which other workers read files.
        public static let addressMissing = Code(rawValue: "addressMissing")
        /// The system has no room for a thread, a socket or a descriptor.
        public static let system = Code(rawValue: "system")

        /// The name of the code.
        public let rawValue: String

        /// Names a code.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The kind of reason.
    public var code: Code
    /// The failure and its subject, in a sentence or two.
    public var message: String
    /// The coordinator's refusal, if the code is `unavailable`, `superseded`, `copied` or `refused`.
    public var refusal: Refusal?
    /// Whether a later start may succeed, although nobody has changed the directory or its permissions: the disk was
    /// full, read-only or failing, or the system had no descriptor or memory left.
    public var mayPass: Bool

    /// Describes the reason for which a worker cannot start or go on.
    public init(_ code: Code, _ message: String, mayPass: Bool = false) {
        self.code = code
        self.message = message
        self.mayPass = mayPass
    }

    /// Describes a refusal by the coordinator.
    public init(_ code: Code, _ refusal: Refusal) {
        self.init(code, refusal.message)
        self.refusal = refusal
    }

    /// Describes keys that do not let the worker in.
    init(_ obstacle: KeyObstacle, endpoint: String) {
        self.init(obstacle == .refused ? .keyRefused : .keyMismatch, obstacle.sentence(about: endpoint))
    }

    /// The sentence.
    public var description: String { message }
}
