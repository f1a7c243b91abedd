@_spi(Baton) public import BatonOperations
import Synchronization
@_spi(Baton) import BatonWire

/// Sends the files of a submission to the coordinator, without the contents that it has already.
///
/// A content that several files have is sent once. If the connection is lost, or the coordinator is restarted, the rest is asked for and
/// sent then.
@_spi(Baton) public final class SendRun: Sendable {
    /// How far a run has come.
    public struct Progress: Hashable, Sendable {
        /// The bytes whose digests are known, of all files.
        public var readBytes: Int64 = 0
        /// The bytes that the coordinator has taken.
        public var sentBytes: Int64 = 0
        /// The bytes that it does not have; nil before they are known.
        public var missingBytes: Int64?
    }

    /// How often a file is sent in vain before the run fails.
    private static let tries = 5
    /// How long to wait before refused files are sent again.
    private static let pause = Duration.milliseconds(200)

    /// The number of the bytes of all files when they were found.
    public let totalBytes: Int64
    private let sources: [SentSource]
    private let channel: any RequestChannel
    private let state = Mutex(Progress())

    /// Prepares to send files.
    ///
    /// - Parameters:
    ///   - sources: the files, no two of one path.
    ///   - channel: the way to the coordinator.
    public init(_ sources: [SentSource], over channel: any RequestChannel) {
        self.sources = sources
        self.channel = channel
        totalBytes = sources.reduce(0) { $0 + $1.size }
    }

    /// How far the run has come.
    public var progress: Progress { state.withLock { $0 } }

    /// Reads all files and computes their digests.
    ///
    /// - Returns: the files as the submission names them, in the order of the sources.
    /// - Throws: ``SendError``, and `CancellationError` if the task is cancelled.
    public func readFiles() async throws -> [KeptFile] {
        var files: [KeptFile] = []
        files.reserveCapacity(sources.count)
        for source in sources {
            try Task.checkCancellation()
            files.append(
                try source.kept { count in
                    try Task.checkCancellation()
                    self.state.withLock { $0.readBytes += Int64(count) }
                }
            )
        }
        return files
    }

    /// Sends the contents that the coordinator does not have.
    ///
    /// - Parameter files: what ``readFiles()`` has returned.
    /// - Throws: `ClientError`, ``SendError`` if a file has changed, and `CancellationError` if the task is cancelled.
    public func send(_ files: [KeptFile]) async throws {
        var contents: [ContentDigest: SentContents] = [:]
        var order: [ContentDigest] = []
        for (source, file) in zip(sources, files) where contents[file.digest] == nil {
            contents[file.digest] = SentContents(source: source, file: file)
            order.append(file.digest)
        }
        let bytes = SentFiles.bytes(of: files)
        var (leastMissing, vainTries) = (Int.max, 0)
        var refusal: ClientError?
        while case let missing = try await self.missing(among: order, bytes: bytes), !missing.isEmpty {
            // Another client may be about to send the same files.
            vainTries = missing.count < leastMissing ? 0 : vainTries + 1
            leastMissing = min(leastMissing, missing.count)
            if vainTries >= Self.tries {
                if let refusal { throw refusal }
                throw SendError(
                    .unsendable,
                    "The coordinator has lost files that it had taken, and nothing was submitted. Submit again later."
                )
            }
            if vainTries > 0 { try await Task.sleep(for: Self.pause) }
            let wanted = missing.compactMap { contents[$0] }
            state.withLock { $0.missingBytes = $0.sentBytes + wanted.reduce(0) { $0 + $1.file.size } }
            var window = SendWindow(over: channel) { count in self.state.withLock { $0.sentBytes += Int64(count) } }
            for content in wanted { try await window.send(content) }
            try await window.finish()
            refusal = window.refusal ?? refusal
        }
    }

    /// Asks whether the coordinator allows a job so many bytes of files.
    ///
    /// - Throws: `ClientError` with the coordinator's refusal, which names its limit, if it does not.
    public func requireAllowance(of bytes: Int64) async throws(ClientError) {
        guard case .digests = try await channel.request(.missingFiles([], bytes: bytes)) else { throw .wrongKind }
    }

    /// Asks which contents the coordinator does not have.
    ///
    /// - Parameter bytes: the number of the bytes of all of them, of which the coordinator may refuse too many.
    private func missing(
        among digests: [ContentDigest],
        bytes: Int64
    ) async throws(ClientError) -> [ContentDigest] {
        var missing: [ContentDigest] = []
        for start in stride(from: 0, to: digests.count, by: WireLimits.maximumHeldFiles) {
            let part = Array(digests[start..<min(start + WireLimits.maximumHeldFiles, digests.count)])
            guard case .digests(let found) = try await channel.request(.missingFiles(part, bytes: bytes)) else {
                throw .wrongKind
            }
            missing += found
        }
        return missing
    }
}
