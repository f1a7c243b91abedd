@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The clients' requests for output that workers have to answer.
///
/// Owns the open requests, each with a number for the worker's answer. Guarantees that a request is answered once: by its
/// worker, or after its deadline.
struct OutputRequests {
    /// A request that a worker has received.
    struct Pending {
        /// The worker's session; only this session may answer.
        var session: SessionID
        /// The client to answer.
        var client: ReplyAddress
        /// Where the wanted bytes begin.
        var offset: UInt64
        /// The most wanted bytes.
        var limit: UInt32
        /// The record's data, in case the worker has no output.
        var fallback: LogRequest?
        /// When to stop waiting for the worker.
        var deadline: Timestamp

        /// Whether a piece of output answers the request; the end of output may lie before the wanted bytes.
        func isAnswered(by chunk: OutputChunk) -> Bool {
            chunk.bytes.isEmpty || chunk.offset >= offset && chunk.bytes.count <= Int(limit)
        }
    }

    private var pending: [UInt64: Pending] = [:]
    private var next: UInt64 = 1

    /// Adds a request.
    ///
    /// - Returns: the number for the worker.
    mutating func add(_ request: Pending) -> UInt64 {
        defer { next += 1 }
        invariant(pending[next] == nil, "Two requests for output have the same number.")
        pending[next] = request
        return next
    }

    /// The session that has to answer a request; nil if the request is not open.
    func session(of number: UInt64) -> SessionID? { pending[number]?.session }

    /// Removes and returns a request that is answered.
    mutating func take(_ number: UInt64) -> Pending? { pending.removeValue(forKey: number) }

    /// Removes and returns the requests with a passed deadline, in the order of their numbers.
    mutating func takeLate(at now: Timestamp) -> [Pending] { take { $0.deadline <= now } }

    /// Removes and returns the requests to the sessions that meet a condition, in the order of their numbers.
    mutating func take(where isMeant: (SessionID) -> Bool) -> [Pending] { take { isMeant($0.session) } }

    private mutating func take(_ isMeant: (Pending) -> Bool) -> [Pending] {
        guard !pending.isEmpty else { return [] }
        let taken = pending.filter { isMeant($0.value) }.sorted { $0.key < $1.key }
        for (number, _) in taken { pending[number] = nil }
        return taken.map(\.value)
    }
}
