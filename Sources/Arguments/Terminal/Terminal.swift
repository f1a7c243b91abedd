#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The connection of the process's standard streams to a terminal.
@_spi(Baton) public enum Terminal {
    /// Whether standard input is a terminal.
    public static var isStandardInput: Bool { isatty(STDIN_FILENO) == 1 }

    /// Whether standard output is a terminal.
    public static var isStandardOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard error is a terminal.
    public static var isStandardError: Bool { isatty(STDERR_FILENO) == 1 }

    /// The width in columns of the terminal on standard output, else of the terminal on standard error, else 80.
    public static var width: Int {
        columns(of: STDOUT_FILENO) ?? columns(of: STDERR_FILENO) ?? 80
    }

    /// The height in lines of the terminal on standard output, else 24.
    public static var height: Int {
        size(of: STDOUT_FILENO).flatMap { $0.ws_row > 0 ? Int($0.ws_row) : nil } ?? 24
    }

    private static func columns(of descriptor: Int32) -> Int? {
        size(of: descriptor).flatMap { $0.ws_col > 0 ? Int($0.ws_col) : nil }
    }

    private static func size(of descriptor: Int32) -> winsize? {
        var size = winsize()
        return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
    }
}
