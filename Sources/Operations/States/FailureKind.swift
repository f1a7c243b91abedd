/// What alike failures of operations have in common.
@_spi(Baton) public struct FailureKind: Hashable, Sendable {
    /// The kind of reason.
    public var reason: Reason.Code
    /// The exit status of the last attempt, if the attempt exited.
    public var exitStatus: Int32?
    /// The signal that ended the last attempt, if any.
    public var signal: Int32?
    /// The last line of standard error, or else the reason as a sentence, each with `#` for digits; empty if lines make no
    /// difference.
    public var line: String

    /// The most characters of a line that make a difference.
    private static let mostCharacters = 200
    /// The most bytes at the end of standard error in which a last line is looked for.
    public static let mostBytes = 4096

    /// Describes a kind.
    public init(reason: Reason.Code, exitStatus: Int32?, signal: Int32?, line: String) {
        self.reason = reason
        self.exitStatus = exitStatus
        self.signal = signal
        self.line = line
    }

    /// Finds the kind of an operation's failure.
    ///
    /// - Parameter standardError: the end of the standard error of the last attempt.
    public init(_ record: OperationRecord, standardError: some Sequence<UInt8>) {
        reason = record.reason?.code ?? .exit
        exitStatus = record.exitStatus
        signal = record.signal
        line = Self.folded(Self.lastLine(of: Array(standardError)) ?? record.reason?.message ?? "")
    }

    /// The last line with any visible character; nil without such a line.
    private static func lastLine(of bytes: [UInt8]) -> String? {
        for line in bytes.suffix(mostBytes).split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).reversed() {
            let text = String(decoding: line, as: UTF8.self)
            if text.unicodeScalars.contains(where: { !$0.properties.isWhitespace && $0.value >= 0x20 }) { return text }
        }
        return nil
    }

    /// A line with one `#` for neighbouring digits, without control characters, and of a limited length.
    private static func folded(_ line: String) -> String {
        var folded = String.UnicodeScalarView()
        var isInNumber = false
        for scalar in line.unicodeScalars {
            let isDigit = ("0"..."9").contains(scalar)
            if isDigit {
                if !isInNumber { folded.append("#") }
            } else if scalar.value >= 0x20, scalar.value != 0x7F {
                folded.append(scalar)
            } else if folded.last != " " {
                folded.append(" ")
            }
            isInNumber = isDigit
        }
        var text = String(folded).prefix(mostCharacters)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
