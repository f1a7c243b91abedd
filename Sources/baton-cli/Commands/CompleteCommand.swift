@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonThreads

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The hidden command with which completion scripts ask for words.
struct CompleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "complete",
        abstract: "Prints words for the completion script of a shell.",
        shouldDisplay: false
    )

    /// The environment variable with another longest time, for coordinators far away.
    static let variable = "BATON_COMPLETION_TIMEOUT"

    /// The longest wait for an answer after a key press.
    private static var patience: Duration {
        let given = Surroundings.variable(variable).flatMap { try? DurationOption.read($0) }
        return given ?? .milliseconds(250)
    }

    @Argument(help: "Kind of the words.")
    var subject: CompletionSubject

    @Argument(parsing: .postTerminator, help: "The beginning of the word, after '--'.")
    var words: [String] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    /// Prints the words, or nothing if no coordinator answers in time; the reason would disturb the command line.
    func run() async throws {
        // Nothing that hangs, such as the resolver of names, keeps the process longer.
        let milliseconds = Int32(clamping: Int64(min(Self.patience, .seconds(86_400)) / .milliseconds(1)))
        try SystemThread.detach(named: "patience") {
            _ = poll(nil, 0, milliseconds)
            _exit(ExitStatus.success)
        }
        var quiet = global
        quiet.quiet = true
        guard let connection = try? quiet.connect(),
            let lines = try? await CompletionWords(on: connection).lines(of: subject, beginning: words.first ?? "")
        else { return }
        try Output.write(Array(lines.map { $0 + "\n" }.joined().utf8), to: STDOUT_FILENO)
    }
}
