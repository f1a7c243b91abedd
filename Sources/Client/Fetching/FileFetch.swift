@_spi(Baton) import BatonDigests
@_spi(Baton) public import BatonOperations

/// A file of an operation that is fetched into a directory of the user's, all of it or nothing (FI10).
@_spi(Baton) public struct FileFetch: Hashable, Sendable {
    /// How often a file is fetched if its bytes do not have its digest.
    private static let tries = 2

    /// The operation that left the file.
    public let operation: OperationID
    /// The file as the record has it.
    public let file: KeptFile
    /// The path of the file below the directory, with "/" between the parts.
    public let place: String

    /// Describes a file to fetch.
    public init(_ file: KeptFile, of operation: OperationID, to place: String) {
        self.operation = operation
        self.file = file
        self.place = place
    }

    /// Fetches the file; an earlier file at the place is replaced, once all bytes are there and have the digest of the record.
    ///
    /// - Parameters:
    ///   - directory: the directory.
    ///   - channel: the way to the coordinator.
    ///   - timeout: how long each answer may take; nil without a limit.
    ///   - onBytes: called with the number of bytes that have come; with a negative one if some of them were damaged.
    /// - Throws: `ClientError` if the coordinator cannot give the bytes, ``FetchError``, and `CancellationError` if the task is cancelled.
    public func run(
        into directory: FetchDirectory,
        over channel: any RequestChannel,
        timeout: Duration? = nil,
        onBytes: @Sendable (Int) -> Void = { _ in }
    ) async throws {
        for _ in 1...Self.tries {
            if try await isComplete(directory, channel, timeout, onBytes) { return }
        }
        throw FetchError(
            .damaged,
            "The file \"\(file.path.asShown)\" of \(operation) arrived with bytes that do not have its digest, "
                + "\(Self.tries) times in a row. It was not written. Try again later."
        )
    }

    /// Fetches the file once; returns whether the bytes were those of the file.
    private func isComplete(
        _ directory: FetchDirectory,
        _ channel: any RequestChannel,
        _ timeout: Duration?,
        _ onBytes: @Sendable (Int) -> Void
    ) async throws -> Bool {
        let part = try directory.begin(place, mode: file.mode)
        // Without effect once the file is finished.
        defer { part.abandon() }
        var hash = SHA256()
        var count = 0
        var download = FileDownload(
            of: .operation(operation),
            path: file.path,
            size: UInt64(clamping: file.size),
            over: channel,
            timeout: timeout
        )
        while let bytes = try await download.next() {
            // Pieces that are here already come without a wait, which a cancellation would end.
            try Task.checkCancellation()
            bytes.withUnsafeBytes { hash.update($0) }
            try part.write(bytes)
            count += bytes.count
            onBytes(bytes.count)
        }
        guard ContentDigest(bytes: hash.finish()) == file.digest else {
            onBytes(-count)
            return false
        }
        try part.finish()
        return true
    }
}
