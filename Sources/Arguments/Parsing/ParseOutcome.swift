/// The action requested by the arguments of a process.
@_spi(Baton) public enum ParseOutcome: Sendable {
    /// Run a command; all values are read and valid.
    case command(any ParsableCommand)

    /// Show a help page.
    case help(HelpPage)

    /// Print the version.
    case version(String)

    /// Report a usage error.
    case failure(UsageError)
}
