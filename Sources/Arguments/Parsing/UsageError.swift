/// A usage error.
@_spi(Baton) public struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of a usage error; the raw values are stable.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// An option unknown to the command.
        public static let unknownOption = Code(rawValue: "unknownOption")
        /// A name unknown as a command.
        public static let unknownCommand = Code(rawValue: "unknownCommand")
        /// An option without its value.
        public static let missingValue = Code(rawValue: "missingValue")
        /// A value for a flag.
        public static let unexpectedValue = Code(rawValue: "unexpectedValue")
        /// An unreadable value.
        public static let invalidValue = Code(rawValue: "invalidValue")
        /// A missing required argument or option.
        public static let missingArgument = Code(rawValue: "missingArgument")
        /// An excess argument.
        public static let unexpectedArgument = Code(rawValue: "unexpectedArgument")
        /// A refused combination of arguments.
        public static let refused = Code(rawValue: "refused")

        /// The name of the code.
        public let rawValue: String

        /// Names a code.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
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
