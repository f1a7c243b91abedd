import Glibc

/// The program to run, with its arguments, environment, directory, streams and limits.
@_spi(Baton) public struct ProcessSpecification: Sendable {
    /// The program, then its arguments.
    ///
    /// A program without a slash is looked up in the `PATH` of the process's environment.
    public var arguments: [String]

    /// The environment from which the process starts, encoded once and shared by many launches.
    public var environment: ProcessEnvironment

    /// Variables of this launch alone, which override variables of `environment`.
    public var variables = LaunchVariables()

    /// The working directory; `nil` for the directory of this process.
    ///
    /// A relative program, `PATH` entry or `standardInput` starts from here.
    public var directory: String?

    /// A file to read from; `nil` is `/dev/null`.
    public var standardInput: String?

    /// Where standard output goes.
    public var standardOutput: ProcessOutput = .null

    /// Where standard error goes.
    public var standardError: ProcessOutput = .null

    /// A named pipe that the process opens as its standard output, and waits for a reader; `nil` for none.
    ///
    /// A relative path starts from ``directory``.
    public var outputPipe: String?

    /// A named pipe that the process opens as its standard error; `nil` for none.
    ///
    /// The pipe of ``outputPipe`` is opened once for both.
    public var errorPipe: String?

    /// The niceness of the process, -20 to 19; `nil` for the niceness of this process.
    ///
    /// Without the necessary privilege, the niceness stays unchanged.
    public var niceness: Int32?

    /// The process's share of the disk; `nil` follows the niceness, as ioprio_set(2) says.
    public var ioPriority: IOPriority?

    /// The file mode creation mask of the process; `nil` for that of this process.
    public var fileMask: UInt16?

    /// The time after which the process is terminated; `nil` for no limit.
    public var timeout: Duration?

    /// The time between SIGTERM and SIGKILL once the `timeout` is over; `nil` is for ever.
    public var timeoutGrace: Duration? = .seconds(5)

    /// The signal that asks the process group to end, before SIGKILL.
    public var stopSignal: Int32 = SIGTERM

    /// The limit of the memory of the process group; `nil` for no limit.
    public var memoryLimit: MemoryLimit?

    /// Whether the process goes on if this program ends without ending it, as after SIGKILL.
    public var outlivesStarter = false

    /// Describes a program with its arguments; all other properties can be set afterwards.
    public init(arguments: [String], environment: ProcessEnvironment) {
        self.arguments = arguments
        self.environment = environment
    }
}
