/// The end of an attempt, as observed by its worker.
@_spi(Baton) public enum AttemptEnd: Hashable, Sendable {
    /// All commands have ended; the value is the first exit status other than 0, or 0.
    ///
    /// An attempt without commands exits with 0.
    case exited(Int32)
    /// A signal ended a command.
    case signalled(Int32)
    /// The attempt exceeded its timeout and was ended by the worker, with any exit status.
    case timedOut
    /// The attempt used more memory than its operation asked for, and was ended for it; the value is the limit in bytes.
    case exceededMemory(limit: Int64)
    /// The attempt ended after a request to cancel the operation (CA16).
    ///
    /// The exit status or the signal shows how the commands ended. Both are nil for work without commands, and for a Swift
    /// function that threw an error after the request.
    case cancelled(exitStatus: Int32?, signal: Int32?)
    /// The attempt could not be started; the sentence gives the reason.
    case notStarted(String)
    /// The attempt ran to its end but left an unusable result; the sentence gives the reason.
    case unusableResult(String)
    /// The attempt ran to its end, but not all files that it had to leave can be kept; the sentence gives the reason (FI1, FI2).
    case unkeptFiles(String)
    /// The Swift function threw an error, described by this text.
    case threw(String)
    /// A fault of the worker prevented the start of the attempt or of a part of it, or took its result; the sentence names the fault (D9).
    ///
    /// `hasRun` tells whether some commands have run. Without it nothing has run, and the attempt is given back as if it had
    /// never been sent.
    case workerFault(String, hasRun: Bool)
    /// The worker has no room for files of the attempt within its limit, because it has to keep others; it can run other attempts.
    ///
    /// `hasRun` tells whether the commands have run, so that it is the files they left which find no room. Without it nothing has run, the
    /// files that the attempt needs find none, and the attempt is given back as if it had never been sent.
    case noRoom(RoomLack, hasRun: Bool)
    /// Files that the attempt needs were lost or damaged here between their arrival and the start; the sentence names one (FI8).
    ///
    /// Nothing has run, and the attempt is given back as if it had never been sent. The worker has told of the lost copies before, and can
    /// run other attempts.
    case lostInputs(String)
    /// The worker ended the attempt without a request from the coordinator.
    ///
    /// The operation did not fail (ST8). The end counts as a loss.
    case interrupted
    /// The worker ended the attempt because the worker was stopped.
    ///
    /// The operation did not fail, and no loss counts (D3).
    case stopped
}

/// The end of the output of one stream of an attempt.
@_spi(Baton) public struct OutputTail: Hashable, Sendable {
    /// The most bytes of a stream that the record keeps.
    public static let maximumLength = 65_536

    /// How many bytes the stream had in all.
    public var totalLength: UInt64
    /// Its last bytes, at most ``maximumLength``.
    public var bytes: [UInt8]

    /// Describes the end of a stream.
    public init(totalLength: UInt64 = 0, bytes: [UInt8] = []) {
        self.totalLength = totalLength
        self.bytes = bytes
    }
}

/// The end, the output, the result and the use of resources of an attempt.
@_spi(Baton) public struct AttemptResult: Hashable, Sendable {
    /// The most bytes of a result (`BATON_RESULT`).
    public static let maximumResultLength = 1 << 20

    /// How it ended.
    public var end: AttemptEnd
    /// The run time of the attempt in microseconds, from the start of its code until the end of its last part.
    ///
    /// The worker measures the time with a clock that only runs forwards.
    public var microseconds: Int64
    /// The end of standard output.
    public var standardOutput: OutputTail
    /// The end of standard error.
    public var standardError: OutputTail
    /// What its processes used; nil for an attempt without processes.
    public var usage: AttemptUsage?
    /// The result and the files behind one reference, which few attempts have: ends of attempts are copied often.
    private var left: LeftByAttempt?

    /// The bytes written to `BATON_RESULT` or returned by the Swift function; nil if there are none (DE20).
    public var result: [UInt8]? {
        get { left?.result }
        set { left = LeftByAttempt(result: newValue, files: files) }
    }
    /// The files of the attempt, which its worker keeps as a whole (FI1); none if the attempt did not succeed.
    public var files: [KeptFile] {
        get { left?.files ?? [] }
        set { left = LeftByAttempt(result: result, files: newValue) }
    }

    /// Whether the attempt left a result; quick, because each end asks.
    @inline(__always) public var hasResult: Bool { left?.result != nil }

    /// Whether the attempt left no files; quick, because each end asks.
    @inline(__always) public var hasNoFiles: Bool { left?.files.isEmpty ?? true }

    /// Whether the attempt printed anything, left a result, or used something; quick, because each end asks.
    @inline(__always) public var hasOutput: Bool {
        usage != nil || hasResult || standardOutput.totalLength > 0 || standardError.totalLength > 0
            || !standardOutput.bytes.isEmpty || !standardError.bytes.isEmpty
    }

    /// Describes the end, the output and the use of resources of an attempt that left neither a result nor files.
    @inline(__always)
    public init(
        end: AttemptEnd,
        microseconds: Int64 = 0,
        standardOutput: OutputTail = OutputTail(),
        standardError: OutputTail = OutputTail(),
        usage: AttemptUsage? = nil
    ) {
        self.end = end
        self.microseconds = microseconds
        self.standardOutput = standardOutput
        self.standardError = standardError
        self.usage = usage
    }

    /// Describes the end, the output, the use of resources, the result and the files of an attempt.
    public init(
        end: AttemptEnd,
        microseconds: Int64 = 0,
        standardOutput: OutputTail = OutputTail(),
        standardError: OutputTail = OutputTail(),
        result: [UInt8]?,
        usage: AttemptUsage? = nil,
        files: [KeptFile] = []
    ) {
        self.init(
            end: end,
            microseconds: microseconds,
            standardOutput: standardOutput,
            standardError: standardError,
            usage: usage
        )
        left = LeftByAttempt(result: result, files: files)
    }
}

/// The result and the files of an attempt that has left one of them.
private final class LeftByAttempt: Hashable, Sendable {
    let result: [UInt8]?
    let files: [KeptFile]

    /// Fails if there is neither a result nor a file.
    init?(result: [UInt8]?, files: [KeptFile]) {
        if result == nil, files.isEmpty { return nil }
        (self.result, self.files) = (result, files)
    }

    static func == (left: LeftByAttempt, right: LeftByAttempt) -> Bool {
        left === right || left.result == right.result && left.files == right.files
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(result)
        hasher.combine(files)
    }
}
