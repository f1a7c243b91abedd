@_spi(Baton) public import BatonOperations

/// The settings from the command line that a graph file gets in addition.
///
/// There is one rule. A setting of the command line takes the place of the file's settings for the whole job and of its `defaults`;
/// a setting that an operation has of its own stays. Holds, a delay and dependencies are for the operations with which the graph begins:
/// those without a dependency inside the file. They are added to what these operations have.
@_spi(Baton) public struct GraphFileAdditions: Hashable, Sendable {
    /// The name of the job; nil for the name in the file.
    public var name: String?
    /// The queue of operations without a queue of their own; nil for the queue in the file.
    public var queue: String?
    /// The priority of operations without a priority of their own; nil for the priority in the file.
    public var priority: Priority?
    /// Environment variables, which take the place of equal names in `defaults`.
    public var environment: [String: String]
    /// Tags of the job, which take the place of equal keys in the file.
    public var tags: [String: String]
    /// The maximum of failures of the job; nil for that in the file.
    public var maxFailures: UInt32?
    /// Whether the job cancels what executes at its maximum of failures, whatever the file says.
    public var cancelRunning: Bool
    /// The deadline of the job; nil for that in the file.
    public var deadline: Duration?
    /// How long the files of the job are kept after its end; nil for the time in the file.
    public var keepFiles: Duration?
    /// The most bytes of the files of the job; nil for the limit in the file.
    public var filesLimit: Int64?
    /// The files and directories of the submitter that are sent with the job, besides those that the file names.
    public var send: [String]
    /// Whether the first operations are held.
    public var isHeld: Bool
    /// The earliest start of the first operations without a delay of their own, counted from the submission; nil for none.
    public var delay: Duration?
    /// Dependencies of the first operations on operations of other jobs, or on other jobs.
    public var dependencies: [Dependency]
    /// The shell of commands that are given as a line of text, in operations without a shell of their own; nil for that in the file.
    public var shell: CommandShell?

    /// Describes additions; the default values add nothing.
    public init(
        name: String? = nil,
        queue: String? = nil,
        priority: Priority? = nil,
        environment: [String: String] = [:],
        tags: [String: String] = [:],
        maxFailures: UInt32? = nil,
        cancelRunning: Bool = false,
        deadline: Duration? = nil,
        keepFiles: Duration? = nil,
        filesLimit: Int64? = nil,
        send: [String] = [],
        isHeld: Bool = false,
        delay: Duration? = nil,
        dependencies: [Dependency] = [],
        shell: CommandShell? = nil
    ) {
        self.name = name
        self.queue = queue
        self.priority = priority
        self.environment = environment
        self.tags = tags
        self.maxFailures = maxFailures
        self.cancelRunning = cancelRunning
        self.deadline = deadline
        self.keepFiles = keepFiles
        self.filesLimit = filesLimit
        self.send = send
        self.isHeld = isHeld
        self.delay = delay
        self.dependencies = dependencies
        self.shell = shell
    }
}
