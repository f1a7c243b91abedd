/// The flags that make hands to the commands of its recipes in `MAKEFLAGS` and `MFLAGS`.
///
/// A text such as `kw -j2 --jobserver-auth=3,4 -- SHELL=baton\ make-shell CC=gcc`.
struct MakeFlags {
    private let words: [String]

    init(_ text: String) {
        var words: [String] = [""]
        var isEscaped = false
        for character in text {
            if character == " ", !isEscaped {
                words.append("")
            } else {
                words[words.count - 1].append(character)
            }
            isEscaped = character == "\\" && !isEscaped
        }
        self.words = words
    }

    /// The flags for a process on another host, or on this host without the descriptors of this process.
    ///
    /// A make that the process starts runs one job at a time, as a make without its jobserver does, and gives its lines to a shell
    /// of its own.
    var withoutJobserver: String {
        let kept = options.filter { word in
            !Self.jobserverOptions.contains { word.hasPrefix($0) } && !Self.isJobNumber(word)
        }
        let variables = words.dropFirst(options.count + 1).filter { !$0.hasPrefix("SHELL=") }
        return (kept + (variables.isEmpty ? [] : ["--"] + variables)).joined(separator: " ")
    }

    /// The words before the variables.
    private var options: ArraySlice<String> { words.prefix { $0 != "--" } }

    /// The second is that of make before 4.2.
    private static let jobserverOptions = ["--jobserver-auth=", "--jobserver-fds=", "--jobserver-style="]

    /// Whether an option is `-j` or `-j8`.
    private static func isJobNumber(_ word: String) -> Bool {
        word.hasPrefix("-j") && word.dropFirst(2).allSatisfy(\.isNumber)
    }
}
