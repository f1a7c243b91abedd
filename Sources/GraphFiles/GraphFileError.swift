public import BatonOperations

/// Why a graph file was not accepted, and where in it; nothing of the file was.
public struct GraphFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file's name, as the user gave it.
    public var file: String
    /// The line, from 1.
    public var line: Int
    /// The column, from 1, in bytes of UTF-8, as compilers count.
    public var column: Int
    /// What is wrong, without the place.
    public var sentence: String
    /// What kind of error it is.
    public var code: Refusal.Code
    /// The path of a cycle, its first name again at the end; else empty.
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

    /// The place and the sentence: `graph.json:12:5: unknown key "aftr"; did you mean "after"?`.
    public var description: String { "\(file):\(line):\(column): \(sentence)" }

    /// The error as any other request's, so that all are shown in one form.
    public var refusal: Refusal { Refusal(code, description, path: path) }
}
