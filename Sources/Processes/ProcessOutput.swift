/// The destination of an output stream of a process.
@_spi(Baton) public enum ProcessOutput: Sendable, Hashable {
    /// Nowhere: `/dev/null`.
    case null

    /// A file, created if missing, emptied if present, and appended to.
    ///
    /// Appending lets two streams share a file, and lets a file be shortened during writes.
    case file(String)

    /// An open descriptor of the caller, which must stay open until the launch has been reported.
    case descriptor(Int32)
}
