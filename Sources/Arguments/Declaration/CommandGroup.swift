/// Subcommands that help lists together under a title.
public struct CommandGroup: Sendable {
    /// The title, such as `Queue`; the help shows `QUEUE SUBCOMMANDS`.
    public let name: String

    /// The commands in the order of the help.
    public let subcommands: [any ParsableCommand.Type]

    /// Puts commands under a title.
    public init(name: String, subcommands: [any ParsableCommand.Type]) {
        self.name = name
        self.subcommands = subcommands
    }
}
