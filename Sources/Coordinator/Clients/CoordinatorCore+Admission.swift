@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire
@_spi(Baton) package import BatonZeroMQ

/// Performs the requests of clients in the order that ``Admission`` decides.
extension CoordinatorCore {
    /// The bytes reserved for the document of one operation.
    ///
    /// An operation with thousands of dependencies has a longer document. The coordinator makes such replies one at a time
    /// and then knows their length.
    private static let usualOperation = 64 << 10
    /// The bytes reserved for the document of a schedule.
    private static let usualSchedule = 1_000
    /// The longest reply, in bytes, that does not count as a long reading.
    private static let mostShortReply = 64 << 10

    /// Performs a client's request in its turn, once the budget has room for the reply; refuses a request without room.
    func admit(
        _ received: ReceivedRequest,
        _ message: ReceivedMessage,
        number: UInt64,
        from peer: RoutingID,
        by requester: Requester?
    ) {
        let request = received.request
        var client: ReplyAddress
        switch admission.open(
            request,
            length: message.length,
            isLarge: message.isLarge,
            number: number,
            from: peer
        ) {
        case .opened(let opened): client = opened
        case .tooMany:
            let sentence =
                "This connection has \(OpenRequests<RoutingID>.mostOfPeer) requests open, and may not have more. Wait until some of "
                + "those have been answered."
            return refuse(number, Refusal(.unavailable, sentence), to: peer)
        case .noRoom:
            return refuseForLackOfRoom(number, from: peer)
        }
        client.requester = requester
        client.replyBytes = replyLength(of: request)
        client.isDivisible = request.isDivisible
        client.reading = readingLength(of: request, replyBytes: client.replyBytes)
        let waiting = RequestLines.Waiting(request: received, client: client)
        if admission.isNext(client) { serve(waiting) } else { admission.append(waiting) }
    }

    /// Refuses a request of a peer whose requests fill its budget; no part of the request was performed.
    package func refuseForLackOfRoom(_ number: UInt64, from peer: RoutingID) {
        let sentence =
            "The coordinator has as much of this connection's requests as it keeps at once, and nothing of this one was done. "
            + "Ask again once earlier ones have been answered."
        refuse(number, Refusal(.unavailable, sentence), to: peer)
    }

    /// Refuses a request that was not opened.
    func refuse(_ number: UInt64, _ refusal: Refusal, to peer: RoutingID) {
        send(ClientReply.reply(number, .refused(refusal)).encoded(), to: peer)
    }

    /// Performs the waiting requests that fit into this turn of the loop.
    func serveWaitingRequests() {
        while admission.isAnyWaiting, case let peers = admission.nextPeers, !peers.isEmpty {
            for peer in peers {
                // The requests before this one may have used up the room.
                if let waiting = admission.takeFirst(of: peer) { serve(waiting) }
            }
        }
        admission.endTurn()
    }

    private func serve(_ waiting: RequestLines.Waiting) {
        var (request, client) = (waiting.request, waiting.client)
        if admission.needsShortening(client), case .other(let whole) = request {
            request = .other(whole.shortened)
            client.replyBytes = replyLength(of: whole.shortened)
        }
        admission.reserveReply(to: client)
        admission.beginStep(reading: client.reading)
        perform(request, for: client)
        admission.endStep()
    }

    /// Notes that the outbox has sent or dropped this many bytes for a peer.
    package func delivered(_ count: Int, to peer: RoutingID) {
        admission.noteDelivery(count, to: peer)
        if pieces.hasBytes { pieces.noteDelivery(count, to: peer) }
    }

    /// Notes that a connection has ended, and drops its waiting requests; nobody waits for its answers any more.
    package func connectionEnded(_ peer: RoutingID) {
        admission.connectionEnded(peer)
        workers.connectionEnded(peer)
        appearances.connectionEnded(peer)
        challenges.connectionEnded(peer)
        answerOutputRequests(to: peer)
        fileConnectionEnded(peer)
    }

    /// Whether the loop may read another large submission: the last one is answered, or cannot be until the disk has room.
    package var hasRoomForLargeSubmission: Bool { admission.hasRoomForLargeSubmission || commits.error != nil }

    /// The most bytes that a reply may have.
    private func replyLength(of request: Request) -> Int {
        func page(_ limit: UInt32, _ most: Int, each length: Int) -> Int { min(Int(limit), most) * length }
        let body =
            switch request {
            case .document(.job(_, _, let limit, _)): page(limit, Self.largestPage, each: 2_000)
            case .document(.jobs(_, let limit, _)): page(limit, Self.largestPage, each: 2_000)
            case .document(.names): Self.namesOfRequest * 100
            case .document(.graph(_, _, let limit)): page(limit, Self.largestPage, each: 2_000)
            case .document(.files(_, _, let limit)): page(limit, Self.largestPage, each: 1_000)
            case .document(.operation), .document(.explain): Self.usualOperation
            case .document(.failures(_, let limit)):
                page(limit, Self.mostFailureGroups, each: 2_000 + 2 * Self.mostStandardError)
            case .document(.summary): Self.mostSteps * 500 + scheduler.workerCount * 500
            case .document(.standstill): Self.stillOperations * 4_000
            case .document(.overview(let limit)): Self.overviewLength(jobs: limit)
            case .document(.criticalPath): Self.mostSteps * 500
            case .document(.waiting): Self.mostWaitReasons * 4_000
            case .document(.metrics): Self.metricsLength
            case .document(.throughput): (ThroughputRing.mostSeconds + ThroughputRing.mostMinutes) * 150
            case .document(.queue): Self.longestQueueListing * 20
            case .document(.queues): scheduler.queueCount * 250
            case .document(.schedules): schedules.count * Self.usualSchedule
            case .document(.schedule): Self.usualSchedule
            case .document(.limits): scheduler.sharedLimitCount * (200 + 2 * Self.listedOfLimit * 60)
            case .document(.workers):
                (scheduler.workerCount + scheduler.drainCount) * 1_000 + scheduler.introductionBytes
            case .watch(_, let limit, _, _): page(limit, WatchRegistry.largestPage, each: 1_000)
            case .log(_, _, _, _, let limit): page(limit, OutputChunk.maximumLength, each: 1)
            case .filePiece(_, _, _, let limit): page(limit, FilePiece.maximumLength, each: 1)
            case .missingFiles(let digests, _): digests.count * ContentDigest.length
            case .outputs(let selection):
                page(selection.limit, OutputPage.maximumLength, each: 1) + 2 * OutputTail.maximumLength
                    + 2 * OutputPage.mostAttempts * 40 + scheduler.counts.executing * 8
            case .history(let selection): Self.historyLength(limit: selection.limit, workers: scheduler.workerCount)
            case .result: AttemptResult.maximumResultLength
            case .wait(let addresses, _, _, _, _, _, true): addresses.count * 512 + Self.mostOutputsOfWait
            case .wait(let addresses, _, _, _, _, _, _), .cancel(let addresses, _), .hold(let addresses),
                .release(let addresses), .pause(let addresses), .resume(let addresses), .signal(let addresses, _),
                .setPriority(let addresses, _), .undepend(_, let addresses):
                addresses.count * 512
            case .depend(_, let dependencies): dependencies.count * 512
            case .drain(let names), .undrain(let names), .stop(let names, _), .forget(let names): names.count * 512
            default: 0
            }
        return 512 + body
    }

    /// How long the record may take for a request.
    private func readingLength(of request: Request, replyBytes: Int) -> OpenReadings.Length {
        switch request {
        case .document(.summary), .document(.criticalPath), .retry: .wholeJob
        // The first page has the critical path.
        case .history(let selection): selection.from == 0 ? .wholeJob : .long
        // The record reads an operation with its dependencies, which may be one operation or all of a job.
        case .document(.operation), .document(.explain), .document(.failures), .document(.graph),
            .document(.files), .log, .outputs, .result:
            .long
        // A page with conditions may compare many jobs or operations, however few it shows.
        case .document(.jobs(_, _, let filter)), .document(.job(_, _, _, let filter)):
            !filter.isEmpty || replyBytes > Self.mostShortReply ? .long : .short
        // The record has to say no more than whether a job exists.
        case .submit, .add, .document(.waiting): .short
        // Nor more than where one file is.
        case .filePiece: .short
        case .wait(let addresses, _, _, _, _, _, _), .cancel(let addresses, _), .hold(let addresses),
            .release(let addresses), .pause(let addresses), .resume(let addresses), .signal(let addresses, _),
            .setPriority(let addresses, _):
            replyBytes > Self.mostShortReply || addresses.contains(where: isReadAsOperations) ? .long : .short
        case .depend(let address, _), .undepend(let address, _), .addCommand(let address, _):
            replyBytes > Self.mostShortReply || isReadAsOperations(address) ? .long : .short
        default: replyBytes > Self.mostShortReply ? .long : .short
        }
    }

    /// Whether the record has to read operations to resolve an address.
    private func isReadAsOperations(_ address: Address) -> Bool {
        if case .job = address {
            false
        } else if case .operations = address {
            false
        } else {
            liveTarget(address) == nil
        }
    }
}
