#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Tells the user of `run` about bytes in a pipe that no operation gets.
///
/// A command in a shell's pipe reads the pipe; the operation that `run` submits reads its own standard input, and the bytes would be
/// lost without a word.
struct UnreadInput {
    private var isTold = false
    private let isWanted: Bool

    init(isWanted: Bool) {
        self.isWanted = isWanted
    }

    /// Tells of waiting bytes, once.
    ///
    /// - Parameter isSingle: whether the job is one command, which could get the bytes.
    mutating func tell(isSingle: Bool) {
        guard isWanted, !isTold, Self.hasWaitingBytes else { return }
        isTold = true
        Output.note(
            isSingle
                ? "Standard input has bytes that the command does not get. Send them with --stdin -."
                : "Standard input has bytes that no operation gets."
        )
    }

    /// Whether standard input is a pipe with bytes in it.
    private static var hasWaitingBytes: Bool {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return false }
        var count: Int32 = 0
        return ioctl(STDIN_FILENO, UInt(FIONREAD), &count) == 0 && count > 0
    }
}
