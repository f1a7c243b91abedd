@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The files that another worker gives directly, as the coordinator has named it with the first piece.
///
/// A worker that is silent for a while, or refuses, is not asked for a longer time, and the missing pieces are requested from the
/// coordinator: nothing is lost but time.
extension FileFetches {
    /// Whether an answer to a request is still of use.
    func isOpen(_ number: UInt64) -> Bool { open[number] != nil }

    /// Notes that the rest of a file may be asked of the worker that keeps it.
    ///
    /// - Parameter number: the request whose piece is about to come through the coordinator.
    mutating func receiveSource(_ source: DirectSource, of digest: ContentDigest, number: UInt64, at now: Duration) {
        heardAt = now
        guard let request = open[number], request.holder == nil, request.digest == digest,
            let transfer = transfers[digest], transfer.size > DirectSource.leastSize
        else { return }
        namesSources = true
        guard !holders.isAvoided(source.address, at: now) else { return }
        transfers[digest]?.source = source
    }

    /// Whether another worker has open requests.
    func asksDirectly(_ holder: DataAddress) -> Bool { holders.isAsked(holder) }

    /// Whether the rest of a large file waits for the answer to its first request, with which a worker may be named that gives it
    /// directly.
    ///
    /// A coordinator that has never named one is asked for everything at once.
    func awaitsSource(_ transfer: FileTransfer) -> Bool {
        namesSources && transfer.source == nil && transfer.size > DirectSource.leastSize && transfer.next > 0
            && transfer.written == 0 && transfer.again.isEmpty && transfer.early.isEmpty
    }

    /// Asks another worker for a piece.
    mutating func askDirectly(
        _ source: DirectSource,
        number: UInt64,
        _ digest: ContentDigest,
        offset: UInt64,
        limit: UInt32,
        at now: Duration
    ) {
        holders.ask(source.address, at: now)
        let request = DirectRequest(
            number: number,
            ticket: source.ticket,
            digest: digest,
            offset: offset,
            limit: limit
        )
        actions.append(.askDirectly(request, of: source.address))
    }

    /// Notes that a worker does not give a file after all: the coordinator is asked for its rest.
    mutating func noteRefusal(of digest: ContentDigest, by holder: DataAddress, at now: Duration) {
        holders.avoid(holder, at: now)
        if transfers[digest]?.source?.address == holder { transfers[digest]?.source = nil }
    }

    /// Notes that no connection to a worker can be made: it is left alone for a while.
    mutating func holderFailed(_ holder: DataAddress, at now: Duration) {
        holders.avoid(holder, at: now)
        holderClosed(holder)
    }

    /// Notes that the connection to a worker was closed: the missing pieces of its files are requested from the coordinator.
    mutating func holderClosed(_ holder: DataAddress) {
        for (number, request) in open where request.holder == holder {
            open[number] = nil
            forget(request)
        }
        for (digest, transfer) in transfers where transfer.source?.address == holder {
            transfers[digest]?.source = nil
        }
    }

    /// Leaves workers alone that have been silent for too long.
    mutating func leaveSilentHolders(at now: Duration) {
        for holder in holders.silent(at: now) {
            holderFailed(holder, at: now)
            actions.append(.leave(holder))
        }
    }

    /// Forgets the tickets, which end with the session; the open requests are forgotten already.
    mutating func forgetSources() {
        namesSources = false
        for (digest, transfer) in transfers where transfer.source != nil { transfers[digest]?.source = nil }
    }
}
