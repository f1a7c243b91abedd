@_spi(Baton) import BatonArguments

/// The command `baton completion`.
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Prints the completion script for a shell.",
        discussion: """
            The script completes commands, options and their values, and asks the coordinator for jobs, operations, queues and \
            workers. If no coordinator answers within 250ms, or within the duration in \(CompleteCommand.variable), these are not completed.
            """,
        examples: [
            Example("source <(baton completion bash)", "In ~/.bashrc"),
            Example("baton completion zsh > ~/.zfunc/_baton"),
            Example("baton completion fish > ~/.config/fish/completions/baton.fish"),
        ]
    )

    @Argument(help: "Shell to print the script for.")
    var shell: CompletionShell

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        try Output.write(
            Array(BatonCommand.completionScript(for: shell, asking: CompletionSubject.question).utf8),
            to: 1
        )
    }
}
