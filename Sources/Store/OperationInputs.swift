@_spi(Baton) public import BatonOperations

/// What the dependencies of an operation left for its commands (`BATON_INPUTS`).
@_spi(Baton) public struct OperationInputs: Hashable, Sendable {
    /// The dependencies that left results.
    public var results: [ResultSource]
    /// The files of the dependencies, each with its folder.
    ///
    /// A folder has the name that a result of the dependency would have (``ResultSource/fileName``). If the dependency left a result,
    /// too, the file with the result is called by that name with the suffix `.result`.
    public var files: [InputFile]

    /// Describes inputs; by default none.
    public init(results: [ResultSource] = [], files: [InputFile] = []) {
        self.results = results
        self.files = files
    }
}
