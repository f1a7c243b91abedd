@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The pieces of kept files that others have asked for.
///
/// Owns the requests in their order, and the bytes that libzmq has of the answers: a slow connection takes no more memory than
/// ``mostHanded`` and a piece.
struct FileServing {
    /// A request of the coordinator.
    struct Request: Hashable, Sendable {
        /// The coordinator's number, and that of who asked.
        var number: UInt64
        var echo: UInt64
        var digest: ContentDigest
        var offset: UInt64
        var limit: UInt32
    }

    /// The bytes in libzmq above which requests wait.
    static let mostHanded = 4 << 20

    private let store: FileStore
    private var requests: [Request] = []
    /// The place of the first request without an answer.
    private var first = 0
    private var bytes = 0

    init(_ store: FileStore) {
        self.store = store
    }

    /// Whether a piece can be sent now.
    var canServe: Bool { first < requests.count && bytes < Self.mostHanded }

    /// Adds a request behind all others.
    mutating func add(_ request: Request) { requests.append(request) }

    /// Forgets all requests, and what libzmq has, with the connection.
    mutating func removeAll() {
        requests = []
        first = 0
        bytes = 0
    }

    /// Notes that libzmq has the bytes of an answer.
    mutating func handed(_ count: Int) { bytes += count }

    /// Notes that libzmq has freed bytes of answers.
    mutating func freed(_ count: Int) { bytes -= count }

    /// Reads the next piece; nil if none is asked for, or none can be sent now.
    mutating func nextPiece() -> PassedPiece? {
        guard canServe else { return nil }
        let request = requests[first]
        first += 1
        if first == requests.count {
            requests.removeAll(keepingCapacity: true)
            first = 0
        } else if first >= 1024 {
            requests.removeFirst(first)
            first = 0
        }
        return PassedPiece(number: request.number, echo: request.echo, piece: piece(for: request))
    }

    /// Reads a piece of a kept file; nil if the file is not kept here, or cannot be read.
    private func piece(for request: Request) -> FilePiece? {
        guard let (descriptor, size) = store.open(request.digest) else { return nil }
        defer { closeDescriptor(descriptor) }
        guard request.offset <= size else { return nil }
        let length = min(Int(clamping: request.limit), FilePiece.maximumLength, Int(clamping: size - request.offset))
        let bytes = readBytes(descriptor, from: request.offset, atMost: length)
        guard bytes.count == length else {
            // A file never shrinks: it is damaged, or its disk is (FI8).
            store.drop(request.digest)
            return nil
        }
        return FilePiece(offset: request.offset, size: size, bytes: bytes)
    }
}
