/// How the run of a completion hook ended.
@_spi(Baton) public struct HookRecord: Hashable, Sendable {
    /// The most lines of standard error that the record keeps.
    private static let mostLines: UInt32 = 10
    /// The most bytes of these lines.
    private static let mostBytes = 2048

    /// The worker; nil for a hook that was cancelled while no worker had it.
    public var worker: String?
    /// When the run started; nil for a run without a report.
    public var startedAt: Timestamp?
    /// When the run ended.
    public var endedAt: Timestamp
    /// Why the hook did not succeed; nil after success.
    public var reason: Reason?
    /// The exit status, if the command exited.
    public var exitStatus: Int32?
    /// The signal that ended the command, if any.
    public var signal: Int32?
    /// The last lines of standard error.
    public var standardError = ""

    /// Describes the end of a hook that printed nothing.
    public init(worker: String?, startedAt: Timestamp?, endedAt: Timestamp, reason: Reason?) {
        self.worker = worker
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.reason = reason
    }

    /// The last lines of a stream, at most as many as the record keeps.
    public static func lastLines(of stream: OutputTail) -> String {
        // A text in the record ends at its first NUL.
        let bytes = stream.bytes.suffix(mostBytes).filter { $0 != 0 }
        return String(decoding: bytes[(LastLines.start(of: mostLines, in: bytes) ?? 0)...], as: UTF8.self)
    }
}
