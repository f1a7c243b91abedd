@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Decides which client's request comes next, and limits the memory of each peer.
///
/// Owns the requests that wait for their turns, the number and bytes of each peer's open requests, the bytes of replies that
/// are being made or not delivered, and the open questions to the record. Guarantees:
///
/// - The requests of a peer are performed in the order of their arrival, and the peers take turns.
/// - A request is performed only if the budgets have room for its reply and for its question to the record. A peer that sends
///   requests and reads no replies therefore costs the bytes of its open requests plus its budget for replies, and the
///   coordinator goes on serving the other peers.
/// - The bytes of a request are returned once, with its reply or with the end of its connection.
struct Admission {
    /// The outcome for an arriving request.
    enum Opening {
        /// The request is open; its bytes count until ``close(_:replyLength:)``.
        case opened(ReplyAddress)
        /// The peer has as many requests open as it may have.
        case tooMany
        /// The peer's open requests have as many bytes as they may have.
        case noRoom
    }

    /// The bytes of replies that one turn of the loop requests before the loop looks at other input.
    private static let mostServedBytes = 4 << 20
    /// The most bytes of a shortened reply.
    private static let shortPiece = 20 << 10
    /// The least number of bytes that a reply counts for, since even a short reply costs work.
    private static let leastServedBytes = 4 << 10

    /// The most bytes of replies that are being made or wait to be sent, for each connection and in all.
    ///
    /// When the total is used up, one connection at a time gets one more long reply, and every connection gets short replies.
    private static var replyBudget: ByteBudget<RoutingID> {
        ByteBudget(ofPeer: 8 << 20, inAll: 256 << 20, forFirst: 512 << 20, ownShare: 32 << 10)
    }

    private var openRequests = OpenRequests<RoutingID>()
    /// The bytes of unanswered requests, by peer.
    ///
    /// Large submissions do not count: the coordinator decodes one at a time, and the rest wait in encoded form.
    private var requestBytes = ByteBudget<RoutingID>(ofPeer: 64 << 20, inAll: 512 << 20, ownShare: 64 << 10)
    /// The bytes of replies that are reserved or wait to be sent, by peer.
    private var replyBytes: ByteBudget<RoutingID>
    private var lines = RequestLines()
    private var turns = FairTurns<RoutingID>()
    /// The bytes of replies requested in this turn of the loop.
    private var servedBytes = 0
    private var readings = OpenReadings()
    /// How long the record may take for the present request; nil outside a request.
    private var presentReading: OpenReadings.Length?
    /// The number of unanswered large submissions.
    private var largeSubmissions = 0

    /// Starts without requests.
    ///
    /// - Parameter replyBudget: the most bytes of replies, for each connection and in all.
    init(replyBudget: ByteBudget<RoutingID> = Self.replyBudget) {
        replyBytes = replyBudget
    }

    /// Whether any request waits for its turn.
    var isAnyWaiting: Bool { !lines.isEmpty }
    /// Whether any waiting request can be performed now.
    var canServeAny: Bool { lines.peers.contains { canServeFirst(of: $0) } }
    /// Whether no large submission is open.
    var hasRoomForLargeSubmission: Bool { largeSubmissions == 0 }
    /// The bytes of replies, reserved or not delivered, for all peers.
    var replyBytesInAll: Int { replyBytes.total }

    // MARK: - A request's way

    /// Opens an arriving request, if the peer's budget has room for the request.
    ///
    /// - Parameters:
    ///   - length: the length of the message in bytes.
    ///   - isLarge: whether the message is large; the coordinator handles large submissions one at a time.
    mutating func open(
        _ request: Request,
        length: Int,
        isLarge: Bool,
        number: UInt64,
        from peer: RoutingID
    ) -> Opening {
        guard openRequests.open(by: peer) else { return .tooMany }
        var client = ReplyAddress(peer: peer, number: number)
        if request.hasSubmission, isLarge {
            client.isLargeSubmission = true
            largeSubmissions += 1
        } else {
            client.requestBytes = request.memory(decodedFrom: length)
            guard requestBytes.hasRoom(for: client.requestBytes, of: peer) else {
                openRequests.close(by: peer)
                return .noRoom
            }
            requestBytes.reserve(client.requestBytes, for: peer)
        }
        return .opened(client)
    }

    /// Whether an open request may be performed at once.
    ///
    /// A long reading takes its turn even if no request waits, since the messages of other peers may come next.
    func isNext(_ client: ReplyAddress) -> Bool {
        client.reading == .short && lines.first(of: client.peer) == nil && hasTurn && canServe(client)
    }

    /// Adds an open request behind the other requests of its peer.
    mutating func append(_ waiting: RequestLines.Waiting) { lines.append(waiting) }

    /// The peers whose first requests can be performed now, in the order of their turns.
    var nextPeers: [RoutingID] {
        guard hasTurn, isAnyWaiting else { return [] }
        return lines.peers.enumerated().compactMap { position, peer in
            lines.first(of: peer).flatMap { waiting in
                canServe(waiting.client)
                    ? (turns.place(of: peer, for: waiting.client.replyBytes), position, peer) : nil
            }
        }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
    }

    /// Removes and returns the first request of a peer, if the request can be performed now.
    mutating func takeFirst(of peer: RoutingID) -> RequestLines.Waiting? {
        hasTurn && canServeFirst(of: peer) ? lines.removeFirst(of: peer) : nil
    }

    /// Whether the budget has room for a shortened reply only.
    func needsShortening(_ client: ReplyAddress) -> Bool {
        !replyBytes.hasRoom(for: client.replyBytes, of: client.peer) && canBeShortened(client)
    }

    /// Reserves the bytes of a request's reply; ``beginStep(reading:)`` has to follow.
    mutating func reserveReply(to client: ReplyAddress) {
        let bytes = max(client.replyBytes, Self.leastServedBytes)
        servedBytes += bytes
        turns.serve(client.peer, bytes)
        replyBytes.reserve(client.replyBytes, for: client.peer)
    }

    /// Closes a request, and returns its bytes.
    ///
    /// - Parameter replyLength: the length of the reply in bytes; nil for a request that was never performed.
    mutating func close(_ client: ReplyAddress, replyLength: Int?) {
        openRequests.close(by: client.peer)
        requestBytes.giveBack(client.requestBytes, of: client.peer)
        if client.isLargeSubmission {
            largeSubmissions -= 1
            invariant(largeSubmissions >= 0, "A large submission is closed twice.")
        }
        if let replyLength {
            let assumed = max(client.replyBytes, Self.leastServedBytes)
            turns.correct(client.peer, by: max(replyLength, Self.leastServedBytes) - assumed)
            replyBytes.giveBack(client.replyBytes, of: client.peer)
        }
    }

    /// Notes that the requests of a turn of the loop are performed.
    mutating func endTurn() { servedBytes = 0 }

    /// Closes the waiting requests of a connection that has ended.
    mutating func connectionEnded(_ peer: RoutingID) {
        while let waiting = lines.removeFirst(of: peer) { close(waiting.client, replyLength: nil) }
        turns.forget(peer)
    }

    // MARK: - Messages

    /// Counts a message until its delivery.
    mutating func noteMessage(_ bytes: Int, to peer: RoutingID) { replyBytes.reserve(bytes, for: peer) }

    /// Notes that bytes for a peer have been sent or dropped.
    mutating func noteDelivery(_ bytes: Int, to peer: RoutingID) { replyBytes.giveBack(bytes, of: peer) }

    /// Whether a worker may receive more inputs now.
    func hasRoomForInputs(to peer: RoutingID) -> Bool {
        let expected = UnsentInputs.expectedLength
        return replyBytes[peer] + expected <= UnsentInputs.shareOfWorker || replyBytes.hasRoom(for: expected, of: peer)
    }

    /// Reserves room for a message of inputs, until ``returnInputs(of:)``.
    mutating func reserveInputs(to peer: RoutingID) { replyBytes.reserve(UnsentInputs.expectedLength, for: peer) }

    /// Returns the room reserved for a message of inputs.
    mutating func returnInputs(of peer: RoutingID) { replyBytes.giveBack(UnsentInputs.expectedLength, of: peer) }

    // MARK: - Questions to the record

    /// Begins a step of a client's request, whose questions to the record may take this long.
    mutating func beginStep(reading: OpenReadings.Length?) { presentReading = reading }

    /// Ends the step.
    mutating func endStep() { presentReading = nil }

    /// Counts a question to the record, if a client waits for the answer in its turn.
    ///
    /// - Returns: the length to pass to ``endQuestion(_:)``; nil outside a step of a request.
    mutating func beginQuestion() -> OpenReadings.Length? {
        if let presentReading { readings.begin(presentReading) }
        return presentReading
    }

    /// Notes the answer to a question.
    mutating func endQuestion(_ length: OpenReadings.Length?) {
        if let length { readings.end(length) }
    }

    // MARK: - Room

    private func canServeFirst(of peer: RoutingID) -> Bool {
        lines.first(of: peer).map { canServe($0.client) } ?? false
    }

    /// Whether the budget has room for a request's reply, and the record for the question that the request may need.
    private func canServe(_ client: ReplyAddress) -> Bool {
        readings.hasRoom(for: client.reading)
            && (replyBytes.hasRoom(for: client.replyBytes, of: client.peer) || canBeShortened(client))
    }

    /// Whether a short reply will do for a request, and fits into the peer's own share of the budget.
    private func canBeShortened(_ client: ReplyAddress) -> Bool {
        client.isDivisible && replyBytes.hasOwnRoom(for: Self.shortPiece, of: client.peer)
    }

    /// Whether this turn of the loop has bytes left for requests; the first request of a turn may be of any size.
    private var hasTurn: Bool { servedBytes < Self.mostServedBytes }
}
