/// How an attempt ended, as its worker saw it.
public enum AttemptEnd: Hashable, Sendable {
    /// All its commands are over; this is the first exit status that is not 0, or 0. What has no commands exits with 0.
    case exited(Int32)
    /// A signal ended a command.
    case signalled(Int32)
    /// It ran longer than its timeout and was ended, whatever came of that.
    case timedOut
    /// It was asked to end because its cancellation was asked for (CA16): with a signal, and this is what came of it; what ran
    /// no command, or a Swift function that threw an error then, has neither.
    case cancelled(exitStatus: Int32?, signal: Int32?)
    /// It could not be started; the sentence says why.
    case notStarted(String)
    /// It ran to its end, but what it left as its result cannot be used; the sentence says why.
    case unusableResult(String)
    /// Its Swift function threw an error, which this text describes.
    case threw(String)
    /// Its worker could not start all of it through a fault of its own, which the sentence names (D9). Unless some of its
    /// commands have run, nothing of it has: it is given back as if it had never been sent.
    case workerFault(String, hasRun: Bool)
    /// The worker ended it without being asked by the coordinator, because it goes away itself: not the operation's
    /// failure (ST8).
    case interrupted
}

/// The end of what a stream of an attempt printed.
public struct OutputTail: Hashable, Sendable {
    /// The most bytes of a stream that go into the record.
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

/// What an attempt leaves behind.
public struct AttemptResult: Hashable, Sendable {
    /// The most bytes that a result may have (`BATON_RESULT`).
    public static let maximumResultLength = 1 << 20

    /// How it ended.
    public var end: AttemptEnd
    /// How long its code ran, from its start until the last of it was over, in microseconds: measured by its worker, by a clock
    /// that only runs forwards.
    public var microseconds: Int64
    /// What it printed on standard output.
    public var standardOutput: OutputTail
    /// What it printed on standard error.
    public var standardError: OutputTail
    /// What it wrote to `BATON_RESULT` or its Swift function returned; nil where that is nothing (DE20).
    public var result: [UInt8]?

    /// Describes what an attempt leaves behind.
    public init(
        end: AttemptEnd,
        microseconds: Int64 = 0,
        standardOutput: OutputTail = OutputTail(),
        standardError: OutputTail = OutputTail(),
        result: [UInt8]? = nil
    ) {
        self.end = end
        self.microseconds = microseconds
        self.standardOutput = standardOutput
        self.standardError = standardError
        self.result = result
    }
}
