/// What the arguments of a process ask for.
public enum ParseOutcome: Sendable {
    /// To run a command, whose values are all read and valid.
    case command(any ParsableCommand)

    /// To show a page of help.
    case help(HelpPage)

    /// To print the version.
    case version(String)

    /// Nothing that could be done.
    case failure(UsageError)
}
