/// The end of a process that was started.
///
/// A status other than 0 is a result, not an error.
public struct ProcessExit: Sendable, Hashable {
    /// How the process itself, the leader of its group, ended.
    public var end: ProcessEnd

    /// What it used.
    public var usage: ProcessUsage

    /// Its timeout was over before it had ended, and that is why it was terminated.
    public var timedOut: Bool

    /// Somebody asked for its termination before it had ended or its timeout was over.
    public var terminated: Bool
}
