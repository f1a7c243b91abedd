/// The program that runs a command which was given as a line of text, with its options: `bash -euo pipefail -c`.
///
/// The line is the argument behind the options.
@_spi(Baton) public struct CommandShell: Hashable, Sendable {
    /// The shell of a line without another one.
    public static let standard = CommandShell(known: ["/bin/sh", "-c"])

    /// The program and its options.
    public let words: [String]

    private init(known words: [String]) { self.words = words }

    /// Reads a program with its options between spaces.
    ///
    /// - Throws: ``Refusal`` `invalid` for a text without a program, with quotes, or of a shell without `-c`.
    public init(_ text: String) throws(Refusal) {
        guard !text.utf8.contains(where: { "'\"\\".utf8.contains($0) }) else {
            throw Refusal(
                .invalid,
                "\"\(text.asShown)\" is not a shell: quotes and backslashes have no meaning here. Write the program and its options "
                    + "with spaces between them, such as \(Self.example)."
            )
        }
        try self.init(words: text.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    /// Takes a program with its options.
    ///
    /// - Throws: ``Refusal`` `invalid` for words without a program, with a NUL, or of a shell without `-c`.
    public init(words: [String]) throws(Refusal) {
        guard let program = words.first, !program.isEmpty, let last = words.last else {
            throw Refusal(.invalid, "The shell is empty. Give a program and its options, such as \(Self.example).")
        }
        guard !words.contains(where: { $0.utf8.contains(0) }) else {
            throw Refusal(.invalid, "The shell has a NUL in it, which no program can be given.")
        }
        let takesLine = words.count > 1 && last.hasPrefix("-") && !last.hasPrefix("--") && last.hasSuffix("c")
        if Self.needingOption.contains(Self.name(of: program)), !takesLine {
            throw Refusal(
                .invalid,
                "\"\(words.joined(separator: " ").asShown)\" would take the line for the name of a file. Let its last option be -c, as in "
                    + "\(Self.example)."
            )
        }
        self.init(known: words)
    }

    private static let example = "bash -euo pipefail -c"
    /// Shells that read a line only behind `-c`.
    private static let needingOption: Set<String> = ["sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish"]

    private static func name(of program: String) -> String {
        String(program[(program.lastIndex(of: "/").map(program.index(after:)) ?? program.startIndex)...])
    }

    /// The name of the program without its directory.
    var name: String { Self.name(of: words[0]) }

    /// The command that runs a line.
    public func command(_ line: String) -> [String] { words + [line] }

    /// A command under this shell if it is a line under the standard one; another command as it is.
    public func replacingStandard(in command: [String]) -> [String] {
        let standard = Self.standard.words
        return command.count > standard.count && command.starts(with: standard)
            ? words + command.dropFirst(standard.count) : command
    }
}
