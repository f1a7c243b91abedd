@_spi(Baton) import BatonArguments

/// The command `baton completion`.
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Prints the completion script for a shell.",
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
        try Output.write(Array(BatonCommand.completionScript(for: shell).utf8), to: 1)
    }
}
