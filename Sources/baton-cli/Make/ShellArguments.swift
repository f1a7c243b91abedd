/// The arguments with which make calls a shell: its `.SHELLFLAGS`, such as `-c`, `-ec` or `-eu -o pipefail -c`, and a line.
struct ShellArguments: Equatable {
    /// All arguments, as the shell gets them.
    let words: [String]
    /// The line that the shell is to run.
    let line: String

    /// Finds the line among the arguments, as sh(1) and bash(1) do; nil without `-c` or without a line.
    init?(_ words: [String]) {
        var position = 0
        var hasLine = false
        while position < words.count, let sign = words[position].first, sign == "-" || sign == "+" {
            let option = words[position].dropFirst()
            position += 1
            // Both end the options.
            if option.isEmpty || option == "-" { break }
            // bash has long options, such as --norc.
            if option.hasPrefix("-") { continue }
            if sign == "-", option.contains("c") { hasLine = true }
            // -o and -O take the next words, also among others: -euo pipefail.
            position += option.filter { $0 == "o" || $0 == "O" }.count
        }
        guard hasLine, position < words.count else { return nil }
        self.words = words
        line = words[position]
    }
}
