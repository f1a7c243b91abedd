@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

extension Cluster {
    private static let filesOfPage: UInt32 = 1000

    /// The files of an operation or of a job, a page at a time.
    func files(of address: Address) async throws -> [OperationFile] {
        var files: [OperationFile] = []
        var next: UInt32? = 0
        while let from = next {
            let page = try FilesSnapshot(
                try await asking { channel throws(ClientError) in
                    try await channel.document(.files(address, from: from, limit: Self.filesOfPage))
                }
            )
            files += page.files
            // A page that does not go on would be read for ever.
            next = page.next.flatMap { $0 > from ? $0 : nil }
        }
        return files
    }

    /// Fetches files into a directory.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - directory: the path of the directory.
    ///   - place: the path of a file below the directory.
    /// - Returns: the paths, in the order of the files.
    func fetch(
        _ files: [OperationFile],
        to directory: String,
        _ place: (OperationFile) -> String
    ) async throws -> [String] {
        var fetches: [FileFetch] = []
        for file in files {
            guard let kept = file.kept, let operation = file.operation.id else {
                throw ClusterError(
                    .notAllowed,
                    "The bytes of \"\(file.path.asShown)\" of \(file.operation) are not shown: the key is a viewer's."
                )
            }
            fetches.append(FileFetch(kept, of: operation, to: place(file)))
        }
        do {
            // The writing blocks, for as long as the disk does not answer.
            let run = try await withTaskExecutorPreference(LibraryExecutor("Baton files")) {
                [fetches] () async throws -> FetchRun in
                let all = FetchRun(fetches, into: try FetchDirectory(directory), over: channel)
                try await all.run()
                return all
            }
            if let missing = run.missing.min(by: { $0.key < $1.key }) {
                let others = run.missing.count - 1
                throw ClusterError(
                    .unavailable,
                    missing.value + (others > 0 ? " \(others) more file\(others == 1 ? " is" : "s are") missing." : "")
                )
            }
        } catch let error as ClientError {
            if error.code == .cancelled { throw CancellationError() }
            throw ClusterError(error)
        } catch let error as FetchError {
            throw ClusterError(.file, error.message)
        }
        return fetches.map { directory.hasSuffix("/") ? directory + $0.place : "\(directory)/\($0.place)" }
    }
}
