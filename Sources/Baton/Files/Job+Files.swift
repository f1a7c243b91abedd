@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations

extension Job {
    /// The files that the operations of the job have left, in the order of the operations.
    ///
    /// - Throws: ``ClusterError``, and `CancellationError` if the task is cancelled.
    /// - Complexity: O(files), a page at a time.
    public var files: [OperationFile] {
        get async throws { isEmpty ? [] : try await cluster.files(of: .job(jobNumber)) }
    }

    /// Copies the files that the operations of the job have left to this host, each to its path below a directory of its operation.
    ///
    /// The directory of an operation has the name of the operation, with the number of an array's element, such as `align.3`. For an
    /// operation without a name, it is the position in the job. Otherwise the function copies files as
    /// ``DistributedOperation/fetchFiles(to:)`` does.
    ///
    /// - Parameter directory: the path of the directory, which is made if it is missing.
    /// - Returns: the paths of the files.
    /// - Throws: ``ClusterError`` `unavailable` if a file is missing, after the other files were copied; `file` if the directory cannot
    ///   take the files; and `CancellationError` if the task is cancelled.
    @discardableResult
    public func fetchFiles(to directory: String) async throws -> [String] {
        let files = try await files
        guard !files.isEmpty else { return [] }
        let folders = try await folders
        return try await cluster.fetch(files, to: directory) { file in
            "\(folders[file.operation] ?? "\(file.operation.index)")/\(file.path)"
        }
    }

    /// The directory of each operation.
    private var folders: [OperationAddress: String] {
        get async throws {
            var folders: [OperationAddress: String] = [:]
            var names = FetchFolders()
            var next: UInt32? = 0
            while let from = next {
                let page = try await cluster.page(of: jobNumber, from: from)
                for operation in page.operations {
                    guard let id = operation.address.id else { continue }
                    folders[operation.address] = names.next(id, name: operation.name, index: operation.index)
                }
                next = page.next
            }
            return folders
        }
    }
}
