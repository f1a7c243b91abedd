/// A mistake in what was typed.
public struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of mistake it is; the raw values are stable.
    public enum Code: String, Sendable {
        /// An option that the command does not have.
        case unknownOption
        /// A name that is no command.
        case unknownCommand
        /// An option without its value.
        case missingValue
        /// A value for a flag.
        case unexpectedValue
        /// A value that could not be read.
        case invalidValue
        /// A required argument or option that is not there.
        case missingArgument
        /// An argument too many.
        case unexpectedArgument
        /// A combination that the command refuses.
        case refused
    }

    /// The exit status for usage errors (`EX_USAGE` of sysexits).
    public static let exitStatus: Int32 = 64

    /// What kind of mistake it is.
    public let code: Code

    /// What is wrong, in a sentence or two.
    public let message: String

    /// How the command is called, in one line.
    public let usage: String

    /// The call that shows more, such as `baton submit --help`.
    public let helpCall: String

    /// The text for standard error, without a newline at its end.
    public var description: String {
        """
        Error: \(message)
        Usage: \(usage)
          See '\(helpCall)' for more information.
        """
    }

    init(_ code: Code, _ message: String, at path: CommandPath) {
        self.code = code
        self.message = message
        usage = Usage(of: path).line
        helpCall = path.spelling + " --help"
    }
}
