@_spi(Baton) import BatonArguments

/// What a shell asks for while the user types: the kinds of words that only the coordinator knows.
enum CompletionSubject: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// Jobs, and behind a slash their operations.
    case addresses
    /// The same without names of jobs, for dependencies.
    case dependencies
    /// Jobs alone.
    case jobs
    /// Names of queues.
    case queues
    /// Names of workers.
    case workers
    /// Names of schedules.
    case schedules

    /// The completion of such words in the shells.
    var kind: CompletionKind { .asked(rawValue) }

    /// How the shells ask.
    static let question = CompletionQuestion(
        command: CompleteCommand.configuration.commandName ?? "complete",
        options: ["--coordinator", "--home"],
        flags: ["--insecure"]
    )
}
