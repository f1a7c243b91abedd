public import BatonOperations

/// What the reader of a graph file has to be told beside its text.
public struct GraphFileOptions: Sendable {
    /// The file's name, for errors.
    public var fileName: String
    /// The working directory of operations that name none.
    ///
    /// It is an absolute path, and relative `cwd` and `stdin` are made absolute against it. Where it is nil, such operations run in the worker's own directory, and relative paths stay as they are.
    public var directory: String?
    /// Reads the lines of the file that `eachLine` names; what a relative path means is up to it.
    public var readLines: @Sendable (String) throws(Refusal) -> [String]

    /// Says how to read a graph file.
    public init(
        fileName: String,
        directory: String? = nil,
        readLines: @escaping @Sendable (String) throws(Refusal) -> [String]
    ) {
        self.fileName = fileName
        self.directory = directory
        self.readLines = readLines
    }
}
