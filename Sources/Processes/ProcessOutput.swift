/// Where one output stream of a process goes.
public enum ProcessOutput: Sendable, Hashable {
    /// Nowhere: `/dev/null`.
    case null

    /// A file, made if it is missing, emptied if it is there, and appended to.
    ///
    /// Appending lets two streams share a file, and lets a file be cut short while it is written.
    case file(String)

    /// An open descriptor, which stays the caller's: it must stay open until the launch has been reported.
    case descriptor(Int32)
}
