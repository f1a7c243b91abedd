@_spi(Baton) public import BatonOperations

/// The directories for the files of several operations, each below one of its own.
@_spi(Baton) public struct FetchFolders: Sendable {
    private var taken: Set<String> = []

    /// Begins without directories.
    public init() {}

    /// The directory of the next operation: its name, with the number of an array's element, as in `BATON_INPUTS`; else its index.
    ///
    /// A name that another operation has had becomes the job and the index, such as `12.3`.
    public mutating func next(_ operation: OperationID, name: String?, index: Int64?) -> String {
        let name = name.map { name in index.map { "\(name).\($0)" } ?? name } ?? "\(operation.index)"
        // No name is a directory of the system's, or leads out of one.
        let folder = OutputFilePath.fileName(of: name)
        if taken.insert(folder).inserted { return folder }
        let address = "\(operation.job).\(operation.index)"
        taken.insert(address)
        return address
    }
}
