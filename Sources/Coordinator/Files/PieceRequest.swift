@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A wanted piece of a file that some worker keeps.
struct PieceRequest: Hashable, Sendable {
    /// Who wants the piece.
    enum Asker: Hashable, Sendable {
        /// A worker, over its connection for files, with its own number of the request.
        case worker(RoutingID, SessionID, echo: UInt64)
        /// A client, which has named a file of an operation.
        case client(ReplyAddress, WantedFile)
    }

    /// A file that a client wants to read.
    struct WantedFile: Hashable, Sendable {
        /// The operation that left the file.
        var operation: OperationID
        /// The file.
        var file: KeptFile
    }

    /// Who wants the piece.
    var asker: Asker
    /// The content of the file.
    var digest: ContentDigest
    /// Where the piece begins.
    var offset: UInt64
    /// The most bytes of the piece, at least 1.
    var limit: UInt32
    /// The workers that were asked in vain.
    var tried: [SessionID] = []
    /// The ticket by which the present holder admits the requesting worker; nil if the holder sends the file through the coordinator alone.
    var ticket: ReaderTicket?
    /// Until when the request waits for a worker that has the file and no connection for files; nil if there was one at the last look.
    var deadline: Timestamp?
    /// Until when it waits at most, should the worker be silent; nil without a wait.
    var latestDeadline: Timestamp?

    /// The session of a worker that asks; it does not have the file itself.
    var session: SessionID? {
        if case .worker(_, let session, _) = asker { session } else { nil }
    }

    /// Whether a client asks.
    var isOfClient: Bool {
        if case .client = asker { true } else { false }
    }

    /// The number that the answer has to repeat for who asks.
    var echo: UInt64 {
        if case .worker(_, _, let echo) = asker { echo } else { 0 }
    }

    /// The same request, after a worker was asked in vain; without one, the request itself.
    func tried(at holder: SessionID?) -> PieceRequest {
        guard let holder else { return self }
        var request = self
        request.tried.append(holder)
        return request
    }
}
