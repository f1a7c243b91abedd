@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The requested pieces of kept files.
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

    private let reader: PieceReader
    private var requests: [Request] = []
    /// The place of the first request without an answer.
    private var first = 0
    private var bytes = 0

    init(_ store: FileStore) {
        reader = PieceReader(store)
    }

    /// Whether a piece can be sent now.
    var canServe: Bool { first < requests.count && bytes < Self.mostHanded }

    /// The most bytes of the message with the next piece; nil if none can be sent now.
    var nextLength: Int? { canServe ? Int(clamping: requests[first].limit) + WireLimits.pieceOverhead : nil }

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
        let piece = reader.piece(of: request.digest, from: request.offset, limit: request.limit)
        return PassedPiece(
            number: request.number,
            echo: request.echo,
            piece: piece,
            isDamaged: piece == nil && reader.wasDamaged(request.digest)
        )
    }
}
