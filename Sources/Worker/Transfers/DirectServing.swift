@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The pieces of kept files that other workers have asked for directly.
///
/// Owns the requests of each reader in their order, and the bytes of the answers that libzmq has. The readers take turns, and a slow one
/// keeps no other waiting: it has at most ``mostRequests`` requests here, and ``mostHanded`` bytes and a piece on their way.
struct DirectServing {
    /// The most requests of a reader; it asks for no more at a time, and those beyond are dropped.
    static let mostRequests = 64
    /// The bytes in libzmq above which the requests of a reader wait.
    static let mostHanded = 4 << 20
    /// The bytes in libzmq for all readers above which all requests wait.
    static let mostHandedToAll = 64 << 20

    /// The open requests of a reader.
    private struct Line {
        var requests: [DirectRequest] = []
        var handed = 0
    }

    private var lines: [RoutingID: Line] = [:]
    /// The readers with requests, in the order of their turns.
    private var turns: [RoutingID] = []
    /// The bytes that libzmq has.
    private var bytes = 0

    /// The number of readers that have requests, or bytes on their way.
    var readerCount: Int { lines.count }

    /// Whether a piece can be sent now.
    var canServe: Bool { bytes < Self.mostHandedToAll && turns.contains { hasRoom($0) } }

    /// Adds a request behind the others of its reader.
    ///
    /// - Returns: whether there was room for it.
    mutating func add(_ request: DirectRequest, from reader: RoutingID) -> Bool {
        let count = lines[reader]?.requests.count ?? 0
        guard count < Self.mostRequests else { return false }
        if count == 0 { turns.append(reader) }
        lines[reader, default: Line()].requests.append(request)
        return true
    }

    /// Removes and returns the next request that can be answered now.
    mutating func takeNext() -> (reader: RoutingID, request: DirectRequest)? {
        guard bytes < Self.mostHandedToAll, let place = turns.firstIndex(where: { hasRoom($0) }) else { return nil }
        let reader = turns.remove(at: place)
        guard let request = lines[reader]?.requests.removeFirst() else { return nil }
        if lines[reader]?.requests.isEmpty == false { turns.append(reader) }
        forgetIfIdle(reader)
        return (reader, request)
    }

    /// Notes that libzmq has the bytes of an answer.
    mutating func handed(_ count: Int, to reader: RoutingID) {
        bytes += count
        lines[reader, default: Line()].handed += count
    }

    /// Notes that libzmq has freed bytes of answers.
    mutating func freed(_ count: Int, of reader: RoutingID) {
        bytes -= count
        lines[reader]?.handed -= count
        forgetIfIdle(reader)
    }

    /// Forgets the requests of a reader whose connection has ended.
    mutating func forget(_ reader: RoutingID) {
        turns.removeAll { $0 == reader }
        lines[reader]?.requests = []
        forgetIfIdle(reader)
    }

    /// Forgets all requests; bytes on their way count until libzmq has freed them.
    mutating func forgetAll() {
        for reader in turns { forget(reader) }
    }

    private func hasRoom(_ reader: RoutingID) -> Bool { lines[reader].map { $0.handed < Self.mostHanded } ?? false }

    private mutating func forgetIfIdle(_ reader: RoutingID) {
        if let line = lines[reader], line.requests.isEmpty, line.handed <= 0 { lines[reader] = nil }
    }
}
