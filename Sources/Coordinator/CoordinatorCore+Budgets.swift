import BatonOperations
import BatonScheduler
import BatonWire
package import BatonZeroMQ

/// How much of the memory a peer may have: for what it asks, and for the answers that it has not read.
///
/// A request waits, undone, until its peer has read enough of earlier answers. So whoever asks without reading has some
/// bytes of questions here for each answer, and no more answers than its budget; the others are served meanwhile.
extension CoordinatorCore {
    /// The most bytes of requests that are not answered: of one connection, and of all.
    ///
    /// Large submissions are not among them: one at a time is looked at, and the others wait as they came.
    static var requestBudget: ByteBudget<RoutingID> {
        ByteBudget(ofPeer: 64 << 20, inAll: 512 << 20, ownShare: 64 << 10)
    }

    /// The most bytes of answers that are being made or wait to be sent: of one connection, and of all.
    ///
    /// Where all have as much as they may, one connection at a time gets one long answer more, and short ones are made for each.
    static var answerBudget: ByteBudget<RoutingID> {
        ByteBudget(ofPeer: 8 << 20, inAll: 256 << 20, forFirst: 512 << 20, ownShare: 32 << 10)
    }

    /// How many bytes of answers are asked for in one turn of the loop; then what else has come is looked at.
    private static let mostServedBytes = 4 << 20
    /// The most bytes of an answer that was made shorter.
    private static let shortPiece = 20 << 10
    /// What is set aside for what is told of one operation, in bytes.
    ///
    /// That of one that needs thousands of others is longer. Such answers are made one at a time, and then their length is known.
    private static let usualOperation = 64 << 10
    /// What a short answer counts there: being asked is work too.
    private static let leastServedBytes = 4 << 10
    /// The longest answer that does not count as one that takes long, in bytes.
    private static let mostShortAnswer = 64 << 10

    /// Does what a client asks in its turn, as soon as there is room for the answer; refuses where there is none for the
    /// question.
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
        // What takes long comes in its turn even where nothing waits: this message may have come before others' ones.
        guard client.reading == .short, requestLines.first(of: peer) == nil, hasTurn, canServe(client) else {
            return requestLines.append(
                RequestLines.Waiting(request: request, submission: message.submission, client: client)
            )
        }
        serve(request, message.submission, for: client)
    }

    /// Refuses a request of a peer for whom too much is kept already; nothing of it was done.
    package func refuseForLackOfRoom(_ number: UInt64, from peer: RoutingID) {
        let sentence =
            "The coordinator has as much of this connection's requests as it keeps at once, and nothing of this one was done. "
            + "Ask again once earlier ones have been answered."
        refuse(number, Refusal(.unavailable, sentence), to: peer)
    }

    private func refuse(_ number: UInt64, _ refusal: Refusal, to peer: RoutingID) {
        send(ClientReply.reply(number, .refused(refusal)).encoded(), to: peer)
    }

    /// Does what waited for its turn, as much as belongs into one turn of the loop, and begins the next.
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

    /// Whether something that waited can be done now.
    var canServeRequestLines: Bool { requestLines.peers.contains { canServeFirst(of: $0) } }

    private func canServeFirst(of peer: RoutingID) -> Bool {
        requestLines.first(of: peer).map { canServe($0.client) } ?? false
    }

    /// Whether there is room for a request's answer, and for the question to the record that it may need.
    private func canServe(_ client: ReplyAddress) -> Bool {
        readings.hasRoom(for: client.reading)
            && (answerBytes.hasRoom(for: client.answerBytes, of: client.peer) || canBeShortened(client))
    }

    /// Whether a request's answer may be a short one, for which there is always room where its peer has nothing.
    private func canBeShortened(_ client: ReplyAddress) -> Bool {
        client.isDivisible && answerBytes.hasOwnRoom(for: Self.shortPiece, of: client.peer)
    }

    /// Whether this turn of the loop has anything left for requests; the first one may be of any size.
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

    /// Notes how long the answer to a request is.
    func noteLength(_ bytes: Int, ofAnswerTo client: ReplyAddress) {
        let assumed = max(client.answerBytes, Self.leastServedBytes)
        turns.correct(client.peer, by: max(bytes, Self.leastServedBytes) - assumed)
        answerBytes.giveBack(client.answerBytes, of: client.peer)
    }

    /// Notes that so many bytes of what was to be sent to a peer are no longer kept here: they were sent, or dropped.
    package func delivered(_ count: Int, to peer: RoutingID) {
        answerBytes.giveBack(count, of: peer)
    }

    /// Notes that a connection is no more: what it asks and was not done yet need not be done.
    package func connectionEnded(_ peer: RoutingID) {
        while let waiting = requestLines.removeFirst(of: peer) { close(waiting.client) }
        turns.forget(peer)
    }

    /// Whether another large submission may be read: the one before is answered, or cannot be before the disk has room.
    package var hasRoomForLargeSubmission: Bool { largeSubmissions == 0 || storeTrouble != nil }

    /// How many bytes an answer may have.
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
        // What an operation needs may be one other, or all those of a job, and is read along with it; a retry reads a whole job.
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

    /// Whether the record is asked for operations to find out what an address means.
    private func isReadAsOperations(_ address: Address) -> Bool {
        if case .job = address { false } else { heldOperation(address) == nil }
    }
}

extension Request {
    /// Whether a part is an answer to it as well, after which its client asks for the rest.
    fileprivate var isDivisible: Bool {
        switch self {
        case .log, .watch: true
        default: false
        }
    }

    /// The same for a short part, where it is divisible.
    fileprivate var shortened: Request {
        switch self {
        case .log(let address, let attempt, let stream, let offset, let limit):
            .log(address, attempt: attempt, stream, offset: offset, limit: min(limit, 16 << 10))
        case .watch(let since, let limit, let time): .watch(since: since, limit: min(limit, 16), atMost: time)
        default: self
        }
    }

    /// About how much memory it takes while it waits for its answer.
    fileprivate func memory(decodedFrom length: Int) -> Int {
        if case .submit = self { return 128 + 6 * length }
        return 128 + 16 * length
    }
}
