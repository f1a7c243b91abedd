/// The end of a started process.
///
/// A status other than 0 is a result, not an error.
@_spi(Baton) public struct ProcessExit: Sendable, Hashable {
    /// How the process itself, the leader of its group, ended.
    public var end: ProcessEnd

    /// The resources that the process used.
    public var usage: ProcessUsage

    /// Whether the process was terminated because its timeout was over before its end.
    public var timedOut: Bool

    /// Whether a caller requested the termination before the process had ended or its timeout was over.
    public var terminated: Bool

    /// Whether the process was killed because its group used more memory than its limit, before a timeout or a caller ended it.
    public var exceededMemory = false
}
