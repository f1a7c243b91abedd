@_spi(Baton) import BatonOperations

extension DistributedOperation {
    /// The files that the operation has left, in the order of their paths; none before its end.
    ///
    /// These are the files that matched the option `outputs` when the operation succeeded.
    ///
    /// - Throws: ``ClusterError`` `notAdded` for an operation that is in no queue, and `CancellationError` if the task is cancelled.
    public final var files: [OperationFile] {
        get async throws {
            let (cluster, id) = try await placeInCluster()
            return try await cluster.files(of: .operation(id))
        }
    }

    /// Copies the files that the operation has left to this host, each to its path below a directory.
    ///
    /// A file gets its name once all bytes are present and have the right digest; an existing file is replaced then. Nothing outside of the
    /// directory is written, and no link below it is followed.
    ///
    /// - Parameter directory: the path of the directory, which is made if it is missing.
    /// - Returns: the paths of the files.
    /// - Throws: ``ClusterError`` `unavailable` if a file is missing, after the other files were copied; `file` if the directory cannot
    ///   take the files; and `CancellationError` if the task is cancelled.
    @discardableResult
    public final func fetchFiles(to directory: String) async throws -> [String] {
        let (cluster, id) = try await placeInCluster()
        return try await cluster.fetch(try await cluster.files(of: .operation(id)), to: directory) { $0.path }
    }
}
