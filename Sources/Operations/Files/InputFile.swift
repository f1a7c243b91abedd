/// A file among the inputs of an operation's commands (`BATON_INPUTS`).
@_spi(Baton) public struct InputFile: Hashable, Sendable {
    /// The name of the input that the file belongs to: a directory, as the result of the same dependency would be a file.
    public var folder: String
    /// The file, whose path is below the directory.
    public var file: KeptFile

    /// Describes a file among inputs.
    public init(folder: String, file: KeptFile) {
        self.folder = folder
        self.file = file
    }
}
