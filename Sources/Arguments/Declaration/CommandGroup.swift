/// Subcommands listed together in the help under a title.
@_spi(Baton) public struct CommandGroup: Sendable {
    /// The title, for example `Queue`; the help shows `QUEUE SUBCOMMANDS`.
    public let name: String

    /// The subcommands in the order of the help.
    public let subcommands: [any ParsableCommand.Type]

    /// Groups subcommands under a title.
    public init(name: String, subcommands: [any ParsableCommand.Type]) {
        self.name = name
        self.subcommands = subcommands
    }
}
