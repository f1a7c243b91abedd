/// A usage error.
public struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of a usage error; the raw values are stable.
    public enum Code: String, Sendable {
        /// An option unknown to the command.
        case unknownOption
        /// A name unknown as a command.
        case unknownCommand
        /// An option without its value.
        case missingValue
        /// A value for a flag.
        case unexpectedValue
        /// An unreadable value.
        case invalidValue
        /// A missing required argument or option.
        case missingArgument
        /// An excess argument.
        case unexpectedArgument
        /// A refused combination of arguments.
        case refused
    }

    /// The exit status for usage errors (`EX_USAGE` of sysexits).
    public static let exitStatus: Int32 = 64

    /// The kind of the error.
    public let code: Code

    /// The problem, in a sentence or two.
    public let message: String

    /// The usage line of the command.
    public let usage: String

    /// The call for more help, for example `baton submit --help`.
    public let helpCall: String

    /// The text for standard error, without a final newline.
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
