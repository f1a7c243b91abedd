@_spi(Baton) public import BatonOperations

/// The reason for refusing a graph file, with the position; no part of a refused file is accepted.
@_spi(Baton) public struct GraphFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error: that of the refusal which the error becomes.
    public typealias Code = Refusal.Code

    /// The kind of the error.
    public var code: Code
    /// The problem, without the position.
    public var message: String
    /// The file's name, as given by the user.
    public var file: String
    /// The line, from 1.
    public var line: Int
    /// The column, from 1, in bytes of UTF-8, as in compiler messages.
    public var column: Int
    /// The path of a cycle, with the first name again at the end; otherwise empty.
    public var path: [String]

    /// Describes an error in a graph file.
    public init(
        file: String,
        line: Int,
        column: Int,
        code: Code = .invalid,
        message: String,
        path: [String] = []
    ) {
        self.code = code
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.path = path
    }

    /// The position and the sentence: `graph.json:12:5: unknown key "aftr"; did you mean "after"?`.
    public var description: String { "\(file):\(line):\(column): \(message)" }

    /// The error as a refusal, so that all errors have one form.
    public var refusal: Refusal { Refusal(code, description, path: path) }
}
