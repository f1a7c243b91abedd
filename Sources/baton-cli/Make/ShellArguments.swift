import CBatonLine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The arguments with which make calls a shell: its `.SHELLFLAGS`, such as `-c`, `-ec` or `-eu -o pipefail -c`, and a line.
struct ShellArguments: Equatable {
    /// All arguments, as the shell gets them.
    let words: [String]
    /// The line that the shell is to run.
    let line: String

    /// Finds the line among the arguments; nil without `-c` or without a line.
    init?(_ words: [String]) {
        let copies = words.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        guard !copies.contains(nil) else { return nil }
        let position = Int(cline_line_position(Int32(copies.count), copies))
        guard position >= 0 else { return nil }
        self.words = words
        line = words[position]
    }
}
