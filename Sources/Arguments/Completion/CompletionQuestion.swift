/// How a completion script asks the program for words that depend on the moment: `tool complete KIND [OPTIONS] -- WORD`.
///
/// The program prints one word a line; a description may follow a tab. It prints nothing else and ends soon, because somebody
/// waits for the key to take effect.
@_spi(Baton) public struct CompletionQuestion: Sendable {
    /// The name of the hidden command.
    public var command: String

    /// The options with a value to pass on from the command line, such as `--home`.
    public var options: [String]

    /// The flags to pass on from the command line.
    public var flags: [String]

    /// Describes how to ask.
    public init(command: String, options: [String], flags: [String]) {
        self.command = command
        self.options = options
        self.flags = flags
    }
}
