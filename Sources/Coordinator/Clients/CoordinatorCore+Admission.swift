import BatonOperations
import BatonScheduler
import BatonWire
package import BatonZeroMQ

/// Limits the memory of each peer, for its requests and for the replies that the peer has not read.
///
/// A request waits, unperformed, until its peer has read enough of the earlier replies. A peer that sends requests and reads
/// no replies therefore costs the bytes of its open requests plus its budget for replies, and the coordinator goes on serving
/// the other peers.
extension CoordinatorCore {
    /// The most bytes of unanswered requests, for each connection and in all.
    ///
    /// Large submissions do not count: the coordinator decodes one at a time, and the rest wait in encoded form.
    static var requestBudget: ByteBudget<RoutingID> {
        ByteBudget(ofPeer: 64 << 20, inAll: 512 << 20, ownShare: 64 << 10)
    }

    /// The most bytes of replies that are being made or wait to be sent, for each connection and in all.
    ///
    /// When the total is used up, one connection at a time gets one more long reply, and every connection gets short replies.
    static var answerBudget: ByteBudget<RoutingID> {
        ByteBudget(ofPeer: 8 << 20, inAll: 256 << 20, forFirst: 512 << 20, ownShare: 32 << 10)
    }

    /// The bytes of replies that one turn of the loop requests before the loop looks at other input.
    private static let mostServedBytes = 4 << 20
    /// The most bytes of a shortened reply.
    private static let shortPiece = 20 << 10
    /// The bytes reserved for the document of one operation.
    ///
    /// An operation with thousands of dependencies has a longer document. The coordinator makes such replies one at a time
    /// and then knows their length.
    private static let usualOperation = 64 << 10
    /// The least number of bytes that a reply counts for, since even a short reply costs work.
    private static let leastServedBytes = 4 << 10
    /// The longest reply, in bytes, that does not count as a long reading.
    private static let mostShortAnswer = 64 << 10

    /// Performs a client's request in its turn, once the budget has room for the reply; refuses a request without room.
    func admit(_ request: Request, _ message: ReceivedMessage, number: UInt64, from peer: RoutingID) {
        guard openRequests.open(by: peer) else {
            let sentence =
                "This connection has \(OpenRequests<RoutingID>.mostOfPeer) requests open, and may not have more. Wait until some of "
                + "those have been answered."
            return refuse(number, Refusal(.unavailable, sentence), to: peer)
        }
        var client = ReplyAddress(peer: peer, number: number)
        if case .submit = request, message.isLarge {
            client.isLargeSubmission = true
            largeSubmissions += 1
        } else {
            client.requestBytes = request.memory(decodedFrom: message.length)
            guard requestBytes.hasRoom(for: client.requestBytes, of: peer) else {
                openRequests.close(by: peer)
                return refuseForLackOfRoom(number, from: peer)
            }
            requestBytes.take(client.requestBytes, for: peer)
        }
        client.answerBytes = answerLength(of: request)
        client.isDivisible = request.isDivisible
        client.reading = readingLength(of: request, answerBytes: client.answerBytes)
        // A long reading takes its turn even if no request waits, since the messages of other peers may come next.
        guard client.reading == .short, requestLines.first(of: peer) == nil, hasTurn, canServe(client) else {
            return requestLines.append(
                RequestLines.Waiting(request: request, submission: message.submission, client: client)
            )
        }
        serve(request, message.submission, for: client)
    }

    /// Refuses a request of a peer whose requests fill its budget; no part of the request was performed.
    package func refuseForLackOfRoom(_ number: UInt64, from peer: RoutingID) {
        let sentence =
            "The coordinator has as much of this connection's requests as it keeps at once, and nothing of this one was done. "
            + "Ask again once earlier ones have been answered."
        refuse(number, Refusal(.unavailable, sentence), to: peer)
    }

    private func refuse(_ number: UInt64, _ refusal: Refusal, to peer: RoutingID) {
        send(ClientReply.reply(number, .refused(refusal)).encoded(), to: peer)
    }

    /// Performs the waiting requests that fit into this turn of the loop, and resets the count for the next turn.
    func serveRequestLines() {
        var isAnyServed = !requestLines.isEmpty
        while isAnyServed, hasTurn {
            isAnyServed = false
            let next = requestLines.peers.enumerated().compactMap { position, peer in
                requestLines.first(of: peer).flatMap { waiting in
                    canServe(waiting.client)
                        ? (turns.place(of: peer, for: waiting.client.answerBytes), position, peer) : nil
                }
            }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
            for (_, _, peer) in next where hasTurn && canServeFirst(of: peer) {
                guard let waiting = requestLines.removeFirst(of: peer) else { continue }
                isAnyServed = true
                serve(waiting.request, waiting.submission, for: waiting.client)
            }
        }
        servedBytes = 0
    }

    /// Whether any waiting request can be performed now.
    var canServeRequestLines: Bool { requestLines.peers.contains { canServeFirst(of: $0) } }

    private func canServeFirst(of peer: RoutingID) -> Bool {
        requestLines.first(of: peer).map { canServe($0.client) } ?? false
    }

    /// Whether the budget has room for a request's reply, and the record for the question that the request may need.
    private func canServe(_ client: ReplyAddress) -> Bool {
        readings.hasRoom(for: client.reading)
            && (answerBytes.hasRoom(for: client.answerBytes, of: client.peer) || canBeShortened(client))
    }

    /// Whether a short reply will do for a request, and fits into the peer's own share of the budget.
    private func canBeShortened(_ client: ReplyAddress) -> Bool {
        client.isDivisible && answerBytes.hasOwnRoom(for: Self.shortPiece, of: client.peer)
    }

    /// Whether this turn of the loop has bytes left for requests; the first request of a turn may be of any size.
    private var hasTurn: Bool { servedBytes < Self.mostServedBytes }

    private func serve(
        _ request: Request,
        _ submission: Result<ValidatedSubmission, Refusal>?,
        for client: ReplyAddress
    ) {
        var (request, client) = (request, client)
        if !answerBytes.hasRoom(for: client.answerBytes, of: client.peer), canBeShortened(client) {
            request = request.shortened
            client.answerBytes = answerLength(of: request)
        }
        let bytes = max(client.answerBytes, Self.leastServedBytes)
        servedBytes += bytes
        turns.serve(client.peer, bytes)
        answerBytes.take(client.answerBytes, for: client.peer)
        reading = client.reading
        perform(request, submission, for: client)
        reading = nil
    }

    /// Notes that a request is no longer open, answered or not.
    func close(_ client: ReplyAddress) {
        openRequests.close(by: client.peer)
        requestBytes.giveBack(client.requestBytes, of: client.peer)
        if client.isLargeSubmission { largeSubmissions -= 1 }
    }

    /// Notes the length of the reply to a request.
    func noteLength(_ bytes: Int, ofAnswerTo client: ReplyAddress) {
        let assumed = max(client.answerBytes, Self.leastServedBytes)
        turns.correct(client.peer, by: max(bytes, Self.leastServedBytes) - assumed)
        answerBytes.giveBack(client.answerBytes, of: client.peer)
    }

    /// Notes that the outbox has sent or dropped this many bytes for a peer.
    package func delivered(_ count: Int, to peer: RoutingID) {
        answerBytes.giveBack(count, of: peer)
    }

    /// Notes that a connection has ended, and drops its waiting requests.
    package func connectionEnded(_ peer: RoutingID) {
        while let waiting = requestLines.removeFirst(of: peer) { close(waiting.client) }
        turns.forget(peer)
    }

    /// Whether the loop may read another large submission: the last one is answered, or cannot be until the disk has room.
    package var hasRoomForLargeSubmission: Bool { largeSubmissions == 0 || storeTrouble != nil }

    /// The most bytes that a reply may have.
    private func answerLength(of request: Request) -> Int {
        func page(_ limit: UInt32, _ most: Int, each length: Int) -> Int { min(Int(limit), most) * length }
        let body =
            switch request {
            case .document(.job(_, _, let limit)): page(limit, Self.largestPage, each: 2_000)
            case .document(.jobs(_, let limit)): page(limit, Self.largestPage, each: 2_000)
            case .document(.operation), .document(.explain): Self.usualOperation
            case .document(.queue): Self.longestQueueListing * 20
            case .document(.queues): scheduler.queueCount * 250
            case .document(.workers): scheduler.workerCount * 500 + scheduler.introductionBytes
            case .watch(_, let limit, _): page(limit, WatchRegistry.largestPage, each: 1_000)
            case .log(_, _, _, _, let limit): page(limit, OutputChunk.maximumLength, each: 1)
            case .result: AttemptResult.maximumResultLength
            case .wait(let addresses, _, _, _, _), .cancel(let addresses, _), .hold(let addresses),
                .release(let addresses), .setPriority(let addresses, _), .undepend(_, let addresses):
                addresses.count * 512
            case .depend(_, let dependencies): dependencies.count * 512
            default: 0
            }
        return 512 + body
    }

    /// How long the record may take for a request.
    private func readingLength(of request: Request, answerBytes: Int) -> OpenReadings.Length {
        switch request {
        // The record reads an operation with its dependencies, which may be one operation or all of a job; a retry reads a
        // whole job.
        case .document(.operation), .document(.explain), .log, .result, .retry: .long
        case .submit: .short
        case .wait(let addresses, _, _, _, _), .cancel(let addresses, _), .hold(let addresses),
            .release(let addresses), .setPriority(let addresses, _):
            answerBytes > Self.mostShortAnswer || addresses.contains(where: isReadAsOperations) ? .long : .short
        case .depend(let address, _), .undepend(let address, _), .addCommand(let address, _):
            answerBytes > Self.mostShortAnswer || isReadAsOperations(address) ? .long : .short
        default: answerBytes > Self.mostShortAnswer ? .long : .short
        }
    }

    /// Whether the record has to read operations to resolve an address.
    private func isReadAsOperations(_ address: Address) -> Bool {
        if case .job = address { false } else { heldOperation(address) == nil }
    }
}

extension Request {
    /// Whether a partial reply answers the request too, after which the client asks for the rest.
    fileprivate var isDivisible: Bool {
        switch self {
        case .log, .watch: true
        default: false
        }
    }

    /// The same request for a short part, if the request is divisible.
    fileprivate var shortened: Request {
        switch self {
        case .log(let address, let attempt, let stream, let offset, let limit):
            .log(address, attempt: attempt, stream, offset: offset, limit: min(limit, 16 << 10))
        case .watch(let since, let limit, let time): .watch(since: since, limit: min(limit, 16), atMost: time)
        default: self
        }
    }

    /// About how many bytes of memory the request takes until the reply.
    fileprivate func memory(decodedFrom length: Int) -> Int {
        if case .submit = self { return 128 + 6 * length }
        return 128 + 16 * length
    }
}
