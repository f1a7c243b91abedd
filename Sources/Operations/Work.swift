/// What a worker needs in order to run an attempt, apart from which operation it is.
///
/// Operations of one submission that are alike share one value, which travels and is kept once.
public struct Work: Hashable, Sendable {
    /// What an operation does; the scheduler does not care.
    public enum Kind: Hashable, Sendable {
        /// Programs with their arguments, run at once; the operation is finished when all are (BL1). Never empty, nor is
        /// any of them.
        case commands([[String]])
        /// Nothing: the operation succeeds as soon as a worker has taken it.
        case noOperation
        /// A Swift function that workers know by the name of its type, and what it is called with, as it was encoded (BL4).
        ///
        /// Environment, directory, standard input and grace period do not matter to it: it runs in the worker's own process.
        case typed(type: String, argument: [UInt8])

        /// The type that a worker must run in order to be given it; nil where every worker will do.
        public var type: String? {
            if case .typed(let type, _) = self { type } else { nil }
        }
    }

    /// The most bytes that the argument of a typed operation may have.
    public static let maximumArgumentLength = 1 << 20

    /// How long an executing operation may take to end after it was asked to.
    public enum GracePeriod: Hashable, Sendable {
        /// SIGTERM, then SIGKILL after this long.
        case after(Duration)
        /// SIGTERM only (`--grace forever`).
        case forever
    }

    /// The grace period where the user gives none.
    public static let defaultGracePeriod = GracePeriod.after(.seconds(5))

    /// What to do.
    public var kind: Kind
    /// Variables that are added to the worker's own environment.
    public var environment: [String: String]
    /// The working directory; nil for the worker's own.
    public var directory: String?
    /// The file that becomes standard input; nil for none.
    public var standardInput: String?
    /// How long one attempt may run before it is ended and failed (ST8); nil for no bound.
    public var timeout: Duration?
    /// How long the programs may take to end after SIGTERM (CA4).
    public var gracePeriod: GracePeriod

    /// Describes a piece of work.
    public init(
        _ kind: Kind,
        environment: [String: String] = [:],
        directory: String? = nil,
        standardInput: String? = nil,
        timeout: Duration? = nil,
        gracePeriod: GracePeriod = defaultGracePeriod
    ) {
        self.kind = kind
        self.environment = environment
        self.directory = directory
        self.standardInput = standardInput
        self.timeout = timeout
        self.gracePeriod = gracePeriod
    }
}
