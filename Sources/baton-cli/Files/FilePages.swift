@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The files that operations of a job have left, requested in pages.
struct FilePages {
    private static let filesOfPage: UInt32 = 1000

    private let target: OutputTarget
    private let connection: ClientConnection

    init(of target: OutputTarget, on connection: ClientConnection) {
        self.target = target
        self.connection = connection
    }

    /// All files, in the order of the operations.
    ///
    /// - Parameter isExact: whether names stay as they are, because they are used or written as JSON; otherwise they are made printable.
    func all(isExact: Bool) async throws -> [FileDocument] {
        let address: Address = target.single.map { .operation($0) } ?? .job(target.job)
        var files: [FileDocument] = []
        var next: UInt32? = 0
        while let from = next {
            let bytes = try await connection.document(
                .files(address, from: from, limit: Self.filesOfPage),
                timeout: GlobalOptions.answerTimeout
            )
            let page = try DocumentReader.read(FilesDocument.self, from: bytes, isExact: isExact)
            files += page.files.filter { target.contains($0.operation.index) }
            // A page that does not go on would be read for ever.
            next = page.next.flatMap { $0 > from ? $0 : nil }
        }
        return files
    }
}

extension [FileDocument] {
    /// The number of bytes of all files.
    var bytes: Int64 { reduce(0) { $0 + $1.size } }

    /// The number and the bytes of the files: `3 files, 1.2G`.
    var amount: String { "\(count) file\(count == 1 ? "" : "s"), \(ByteSize.roughText(of: bytes))" }
}
