@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Has workers that can reach each other move large files without the coordinator between them.
///
/// The holder of a file gets the ticket of a reader before the request for the first piece. The reader gets the ticket and the address of
/// the holder with that piece: by then the holder knows the ticket. A worker sends only files that the coordinator has permitted (FI11). A
/// reader that cannot reach the holder continues to request pieces from the coordinator.
extension CoordinatorCore {
    /// The least limit of a request for a piece of a file that may be large: smaller ones are for files that are not.
    static let leastDirectLimit: UInt32 = 256 << 10
    /// How long a ticket is good for without a request.
    static let ticketSeconds: UInt32 = 600

    /// Notes where other workers get the files of a worker directly, as it tells over its connection for files.
    func noteDataAddress(_ address: DataAddress, of session: SessionID, from peer: RoutingID) {
        guard fileConnections.session(of: peer) == session else {
            return logger.debug("an address for files belongs to another session", metadata: ["peer": "\(peer)"])
        }
        guard let endpoint = Endpoint(address.endpoint, for: .connecting), !endpoint.isWildcard else {
            return logger.warning(
                "a worker has told an invalid address for its files",
                metadata: ["worker": "\(scheduler.worker(of: session)?.asShown ?? "")"]
            )
        }
        fileConnections.note(address, of: session)
    }

    /// Whether the rest of a file might be had directly whose piece a worker wants.
    func mayBeDirect(_ request: PieceRequest) -> Bool {
        fileConnections.haveAddresses && request.limit >= Self.leastDirectLimit && request.session != nil
            && (request.offset == 0 || pieces.isFirst(request))
    }

    /// Moves workers with a data address to the front, and rotates their order with each call.
    func preferDirect(_ candidates: inout [SessionID]) {
        let direct = candidates.filter { fileConnections.address(of: $0) != nil }
        guard !direct.isEmpty else { return }
        let first = fileConnections.choose(among: direct.count)
        let others = candidates.filter { fileConnections.address(of: $0) == nil }
        candidates = Array(direct[first...]) + Array(direct[..<first]) + others
    }

    /// Has a holder admit a reader, before it is asked for the reader's first piece.
    ///
    /// - Returns: the ticket; nil if the holder gives files through the coordinator alone.
    func admitReader(of request: PieceRequest, at holder: SessionID, over peer: RoutingID) -> ReaderTicket? {
        guard fileConnections.address(of: holder) != nil else { return nil }
        let ticket = ReaderTicket.random()
        sendOverFiles(.admitReader(ticket, request.digest, seconds: Self.ticketSeconds), to: peer)
        return ticket
    }

    /// The message to a reader about where it gets the rest of a file, of which the holder has just given a piece; nil if it gets it here.
    func source(of request: PieceRequest, at holder: SessionID) -> [UInt8]? {
        guard let ticket = request.ticket, let address = fileConnections.address(of: holder) else { return nil }
        return CoordinatorMessage.directSource(echo: request.echo, request.digest, address, ticket).encoded()
    }
}
