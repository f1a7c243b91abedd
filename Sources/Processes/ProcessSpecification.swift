/// What to run, and how: a program with its arguments, environment, directory, streams and limits.
public struct ProcessSpecification: Sendable {
    /// The program, then its arguments.
    ///
    /// A program without a slash is looked up in the `PATH` of the environment that the process is given.
    public var arguments: [String]

    /// The environment that the process starts from, encoded once and shared by many launches.
    public var environment: ProcessEnvironment

    /// Variables of this launch alone; they win over those of `environment`.
    public var variables: [String: String] = [:]

    /// The working directory; `nil` is that of this process.
    ///
    /// A relative program or `PATH` entry, and a relative `standardInput`, count from here.
    public var directory: String?

    /// A file to read from; `nil` is `/dev/null`.
    public var standardInput: String?

    /// Where standard output goes.
    public var standardOutput: ProcessOutput = .null

    /// Where standard error goes.
    public var standardError: ProcessOutput = .null

    /// The niceness to run with, -20 to 19; `nil` is that of this process.
    ///
    /// It is left as it is where the privilege for it is missing.
    public var niceness: Int32?

    /// The share of the disk to run with; `nil` follows the niceness, as ioprio_set(2) says.
    public var ioPriority: IOPriority?

    /// How long it may run before it is terminated; `nil` is as long as it likes.
    public var timeout: Duration?

    /// How long it has between SIGTERM and SIGKILL once its `timeout` is over; `nil` is for ever.
    public var timeoutGrace: Duration? = .seconds(5)

    /// A program with its arguments; everything else can be set afterwards.
    public init(arguments: [String], environment: ProcessEnvironment) {
        self.arguments = arguments
        self.environment = environment
    }
}
