/// The data for running an attempt, apart from the identity of the operation.
///
/// Similar operations of one submission share one value, which is sent and stored once.
@_spi(Baton) public struct Work: Hashable, Sendable {
    /// The kind of work; the scheduler reads only its ``type``.
    public enum Kind: Hashable, Sendable {
        /// Programs with their arguments, run at once; the operation is finished when all programs have ended (BL1).
        ///
        /// Neither the list nor any program in it is empty.
        case commands([[String]])
        /// No work: the operation succeeds as soon as a worker has accepted it.
        case noOperation
        /// A Swift function, known to workers by the name of its type, with its encoded argument (BL4).
        ///
        /// Environment, directory, standard input and grace period have no effect: the function runs in the worker's own
        /// process.
        case typed(type: String, argument: [UInt8])

        /// The type that a worker must support to run the work; nil if every worker will do.
        public var type: String? {
            if case .typed(let type, _) = self { type } else { nil }
        }
    }

    /// The most bytes of a typed operation's argument.
    public static let maximumArgumentLength = 1 << 20

    /// The most bytes of ``input``: half of the longest message, so that a message has room for the rest of a submission.
    public static let maximumInputLength = 64 << 20

    /// How many workers may be asked to keep a file.
    public static let allowedCopies = 1...16

    /// The grace period without a setting by the user.
    public static let defaultGracePeriod = GracePeriod.after(.seconds(5))

    /// The programs, the function, or nothing.
    public var kind: Kind
    /// Variables to add to the worker's own environment.
    public var environment: [String: String]
    /// The working directory; nil for the worker's own.
    public var directory: String?
    /// The file that becomes standard input; nil for none.
    public var standardInput: String?
    /// The bytes that become standard input, sent with the submission; nil for none.
    ///
    /// A work has a file or bytes, not both.
    public var input: [UInt8]? {
        get { seldom?.properties.input }
        set { changeSeldom { $0.input = newValue } }
    }
    /// The names of the columns of the array's items, empty for a column without a name; no columns for plain items.
    ///
    /// The text of an item with columns is that of ``ItemFields``.
    public var columns: [String] {
        get { seldom?.properties.columns ?? [] }
        set { changeSeldom { $0.columns = newValue } }
    }
    /// The file that takes standard output, in the notation of ``OutputFilePath``; nil for the worker's own.
    public var outputFile: String? {
        get { seldom?.properties.outputFile }
        set { changeSeldom { $0.outputFile = newValue } }
    }
    /// The file that takes standard error, in the notation of ``OutputFilePath``; nil for the worker's own.
    public var errorFile: String? {
        get { seldom?.properties.errorFile }
        set { changeSeldom { $0.errorFile = newValue } }
    }
    /// The signal that asks the programs of an attempt to end, before SIGKILL (CA4).
    public var stopSignal: OperationSignal {
        get { seldom?.properties.stopSignal ?? .terminate }
        set { changeSeldom { $0.stopSignal = newValue } }
    }
    /// Which attempts leave the result that they wrote (DE20).
    public var keepResult: ResultKeeping {
        get { seldom?.properties.keepResult ?? .onSuccess }
        set { changeSeldom { $0.keepResult = newValue } }
    }
    /// The permissions that the files of the programs do not get; nil for the worker's own mask.
    public var umask: FileMask? {
        get { seldom?.properties.umask }
        set { changeSeldom { $0.umask = newValue } }
    }
    /// The files that a successful attempt leaves, in the notation of ``OutputPattern``; none by default (FI1).
    public var outputs: [String] {
        get { seldom?.properties.outputs ?? [] }
        set { changeSeldom { $0.outputs = newValue } }
    }
    /// How many workers are to keep each of the files that a successful attempt leaves, in ``allowedCopies``.
    public var copies: Int {
        get { seldom?.properties.copies ?? 1 }
        set { changeSeldom { $0.copies = newValue } }
    }
    /// The places in the operation's directory of some inputs, by the patterns that pick them, in the notation of ``InputPick``.
    public var picks: [String: String] {
        get { seldom?.properties.picks ?? [:] }
        set { changeSeldom { $0.picks = newValue } }
    }
    /// Whether the programs of each attempt run in a directory of its own.
    public var workspace: Workspace {
        get { seldom?.properties.workspace ?? .shared }
        set { changeSeldom { $0.workspace = newValue } }
    }
    /// Whether a successful attempt leaves files; quick, because each attempt asks.
    public var keepsFiles: Bool { seldom?.properties.outputs.isEmpty == false }
    /// Whether an attempt finds inputs in its directory; quick, because each attempt asks.
    public var picksInputs: Bool { seldom?.properties.picks.isEmpty == false }
    /// Whether output goes to files of the user; quick, because each attempt asks.
    public var hasOutputFiles: Bool {
        guard let seldom else { return false }
        return seldom.properties.outputFile != nil || seldom.properties.errorFile != nil
    }
    /// The properties that few operations set, behind one reference that a dispatch copies; nil if all have their defaults.
    private var seldom: SeldomWork?
    /// How long one attempt may run before it is ended as failed (ST8); nil for no bound.
    public var timeout: Duration?
    /// How long the programs may take to end after ``stopSignal`` (CA4).
    public var gracePeriod: GracePeriod
    /// The memory in bytes that the worker reserves for each operation, and that the programs may use; nil for no request.
    public var memory: Int64? {
        get { memoryOrNone > 0 ? memoryOrNone : nil }
        set { memoryOrNone = newValue ?? 0 }
    }
    /// The memory, or 0 for none: every dispatch copies the work, and an optional would make it larger.
    private var memoryOrNone: Int64
    /// The units of named resources that the worker reserves for each operation, each at least 1.
    public var resources: [String: Int64]
    /// How much nicer the programs are than their quality of service makes them, 0 to 19; the sum is at most 19.
    public var niceness: UInt8

    /// Describes a piece of work.
    public init(
        _ kind: Kind,
        environment: [String: String] = [:],
        directory: String? = nil,
        standardInput: String? = nil,
        input: [UInt8]? = nil,
        columns: [String] = [],
        timeout: Duration? = nil,
        gracePeriod: GracePeriod = defaultGracePeriod,
        niceness: UInt8 = 0,
        memory: Int64? = nil,
        resources: [String: Int64] = [:]
    ) {
        self.kind = kind
        self.environment = environment
        self.directory = directory
        self.standardInput = standardInput
        if input != nil || !columns.isEmpty {
            seldom = SeldomWork(SeldomWork.Properties(input: input, columns: columns))
        }
        self.timeout = timeout
        self.gracePeriod = gracePeriod
        self.niceness = niceness
        memoryOrNone = memory ?? 0
        self.resources = resources
    }

    private mutating func changeSeldom(_ change: (inout SeldomWork.Properties) -> Void) {
        var properties = seldom?.properties ?? SeldomWork.Properties()
        change(&properties)
        seldom = SeldomWork(properties)
    }
}
