public import BatonOperations

/// The reason for refusing a graph file, with the position; no part of a refused file is accepted.
public struct GraphFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file's name, as given by the user.
    public var file: String
    /// The line, from 1.
    public var line: Int
    /// The column, from 1, in bytes of UTF-8, as in compiler messages.
    public var column: Int
    /// The problem, without the position.
    public var sentence: String
    /// The kind of the error.
    public var code: Refusal.Code
    /// The path of a cycle, with the first name again at the end; otherwise empty.
    public var path: [String]

    /// Describes an error in a graph file.
    public init(
        file: String,
        line: Int,
        column: Int,
        sentence: String,
        code: Refusal.Code = .invalid,
        path: [String] = []
    ) {
        self.file = file
        self.line = line
        self.column = column
        self.sentence = sentence
        self.code = code
        self.path = path
    }

    /// The position and the sentence: `graph.json:12:5: unknown key "aftr"; did you mean "after"?`.
    public var description: String { "\(file):\(line):\(column): \(sentence)" }

    /// The error as a refusal, so that all errors have one form.
    public var refusal: Refusal { Refusal(code, description, path: path) }
}
