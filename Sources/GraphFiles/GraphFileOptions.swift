@_spi(Baton) public import BatonOperations

/// The inputs for reading a graph file beside the text.
@_spi(Baton) public struct GraphFileOptions: Sendable {
    /// The file's name, for errors.
    public var fileName: String
    /// The working directory of operations without `cwd`.
    ///
    /// The directory is an absolute path, and the base for relative values of `cwd` and `stdin`. Without a directory,
    /// operations without `cwd` run in the worker's own directory, and relative paths stay unchanged.
    public var directory: String?
    /// The settings that the file gets in addition.
    public var additions: GraphFileAdditions
    /// The present moment, from which times of day and dates are counted; nil refuses them.
    public var present: PresentTime?
    /// Whether whoever reads the file sends the files of `send`; otherwise the key is refused.
    public var sendsFiles: Bool
    /// Reads the lines of the file named by `eachLine`; the function decides about the base of a relative path.
    public var readLines: @Sendable (String) throws(Refusal) -> [String]

    /// Creates options for reading a graph file.
    public init(
        fileName: String,
        directory: String? = nil,
        additions: GraphFileAdditions = GraphFileAdditions(),
        present: PresentTime? = nil,
        sendsFiles: Bool = false,
        readLines: @escaping @Sendable (String) throws(Refusal) -> [String]
    ) {
        self.fileName = fileName
        self.directory = directory
        self.additions = additions
        self.present = present
        self.sendsFiles = sendsFiles
        self.readLines = readLines
    }
}
