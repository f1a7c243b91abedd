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
    /// The bytes written to `BATON_RESULT` or returned by the Swift function; nil if there are none (DE20).
    public var result: [UInt8]?
    /// What its processes used; nil for an attempt without processes.
    public var usage: AttemptUsage?
    /// The files that it left, whole and kept by its worker (FI1); none of an attempt that did not succeed.
    public var files: [KeptFile] {
        get { list?.files ?? [] }
        set { list = newValue.isEmpty ? nil : FileList(newValue) }
    }
    /// The files behind one reference, which few attempts have: results are copied often.
    private var list: FileList?

    /// Whether the attempt left no files; quick, because each end asks.
    @inline(__always) public var hasNoFiles: Bool { list == nil }

    /// Describes the end, the output, the result and the use of resources of an attempt.
    public init(
        end: AttemptEnd,
        microseconds: Int64 = 0,
        standardOutput: OutputTail = OutputTail(),
        standardError: OutputTail = OutputTail(),
        result: [UInt8]? = nil,
        usage: AttemptUsage? = nil,
        files: [KeptFile] = []
    ) {
        self.end = end
        self.microseconds = microseconds
        self.standardOutput = standardOutput
        self.standardError = standardError
        self.result = result
        self.usage = usage
        list = files.isEmpty ? nil : FileList(files)
    }
}

/// The files of an attempt.
final class FileList: Hashable, Sendable {
    let files: [KeptFile]

    init(_ files: [KeptFile]) { self.files = files }

    static func == (left: FileList, right: FileList) -> Bool { left === right || left.files == right.files }

    func hash(into hasher: inout Hasher) { hasher.combine(files) }
}
