@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDigests
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Synchronization

/// A channel to a coordinator that has files and nothing else, and answers at once.
final class FileChannel: RequestChannel {
    /// The bytes of a file, and what becomes of them on their way.
    struct File {
        var bytes: [UInt8]
        /// How many times another byte comes in place of the first one.
        var faults = 0
        /// The refusal in place of the bytes behind an offset.
        var refusal: (offset: UInt64, Refusal)?
    }

    static let operation = OperationID(job: JobNumber(12), index: 3)

    let endpoint = "tcp://127.0.0.1:1"
    private let files: Mutex<[String: File]>
    private let asked = Mutex(0)
    /// Called before each answer, with the number of requests so far.
    private let onRequest: @Sendable (Int) -> Void

    init(_ files: [String: File], onRequest: @escaping @Sendable (Int) -> Void = { _ in }) {
        self.files = Mutex(files)
        self.onRequest = onRequest
    }

    /// The file as the record has it.
    func kept(_ path: String, mode: UInt16 = 0o644) -> KeptFile? {
        guard let bytes = files.withLock({ $0[path]?.bytes }) else { return nil }
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        return ContentDigest(bytes: hash.finish()).map {
            KeptFile(path: path, size: Int64(bytes.count), mode: mode, digest: $0)
        }
    }

    func send(
        _ request: Request,
        timeout: Duration?,
        completion: @escaping @Sendable (Result<Reply, ClientError>) -> Void
    ) -> UInt64 {
        let number = asked.withLock { asked in
            asked += 1
            return asked
        }
        onRequest(number)
        completion(.success(reply(to: request)))
        return UInt64(number)
    }

    private func reply(to request: Request) -> Reply {
        guard case .filePiece(_, let path, let offset, let limit) = request else {
            return .refused(Refusal(.invalid, "This is no question for a file."))
        }
        return files.withLock { files in
            guard var file = files[path] else { return .refused(Refusal(.notFound, "There is no file \(path).")) }
            if let (end, refusal) = file.refusal, offset >= end { return .refused(refusal) }
            var bytes = Array(file.bytes[Int(offset)...].prefix(Int(limit)))
            if offset == 0, file.faults > 0, !bytes.isEmpty {
                bytes[0] ^= 1
                file.faults -= 1
                files[path] = file
            }
            return .filePiece(FilePiece(offset: offset, size: UInt64(file.bytes.count), bytes: bytes))
        }
    }

    func forget(_ number: UInt64) {}

    func close() {}
}
