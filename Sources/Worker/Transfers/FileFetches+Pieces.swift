@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The pieces of files: requests to the coordinator and to other workers, and the bytes that arrive.
extension FileFetches {
    /// Notes that requests can be sent: all that were open are sent again.
    mutating func connected(at now: Duration) {
        isConnected = true
        heardAt = now
    }

    /// Notes that no answer will come to the requests that were sent.
    mutating func disconnected() {
        isConnected = false
        for request in open.values { forget(request) }
        open = [:]
        forgetSources()
    }

    /// Takes in a piece.
    ///
    /// - Parameters:
    ///   - piece: nil if the holder does not have the file; a coordinator asks another holder instead of passing this on.
    ///   - holder: the worker that has sent the piece directly; nil for the coordinator.
    mutating func receive(_ piece: FilePiece?, number: UInt64, from holder: DataAddress? = nil, at now: Duration) {
        if let holder { holders.heard(holder, at: now) } else { heardAt = now }
        // A piece that arrives from a worker after the coordinator was asked for it is ignored.
        guard let request = open[number], request.holder == holder else { return }
        open[number] = nil
        let length = UInt64(request.range.count)
        bytes -= length
        if let holder { holders.close(holder) }
        guard let digest = request.digest, let transfer = transfers[digest] else { return }
        guard let piece else {
            askAgain(for: request.range, of: digest)
            guard let holder else { return delay(digest, at: now) }
            return noteRefusal(of: digest, by: holder, at: now)
        }
        let count = UInt64(piece.bytes.count)
        if holder != nil { directBytes += count }
        guard piece.size == transfer.size, piece.offset == request.range.lowerBound, (1...length).contains(count) else {
            return noteWrongCopy(of: digest, after: transfer)
        }
        transfers[digest]?.delays = 0
        if count < length { askAgain(for: piece.offset + count..<request.range.upperBound, of: digest) }
        if piece.offset == transfer.written {
            write(piece.bytes, to: digest)
        } else {
            transfers[digest]?.early[piece.offset] = piece.bytes
            bytes += count
        }
    }

    /// Takes in that a piece cannot be had: never, or not for the moment.
    mutating func receiveUnavailable(number: UInt64, isLost: Bool, at now: Duration) {
        heardAt = now
        guard let request = open[number], request.holder == nil else { return }
        open[number] = nil
        bytes -= UInt64(request.range.count)
        guard let digest = request.digest, transfers[digest] != nil else { return }
        guard !isLost else { return giveUp(digest, isLost: true) }
        askAgain(for: request.range, of: digest)
        delay(digest, at: now)
    }

    /// Writes the next bytes of a file, and all waiting bytes behind them.
    private mutating func write(_ first: [UInt8], to digest: ContentDigest) {
        guard var transfer = transfers[digest] else { return }
        moves += 1
        var piece = first
        while true {
            actions.append(.write(digest, piece))
            transfer.written += UInt64(piece.count)
            guard let next = transfer.early.removeValue(forKey: transfer.written) else { break }
            bytes -= UInt64(next.count)
            piece = next
        }
        transfers[digest] = transfer
        if transfer.isComplete { actions.append(.finish(digest)) }
    }

    /// Has a part asked for once more whose request is not to be answered any more.
    mutating func forget(_ request: Open) {
        bytes -= UInt64(request.range.count)
        if let holder = request.holder { holders.close(holder) }
        if let digest = request.digest { askAgain(for: request.range, of: digest) }
    }

    private mutating func askAgain(for range: Range<UInt64>, of digest: ContentDigest) {
        guard var again = transfers[digest]?.again else { return }
        again.append(range)
        again.sort { $0.lowerBound > $1.lowerBound }
        transfers[digest]?.again = again
    }

    /// Asks for the next pieces, as far as the limits allow.
    mutating func askForPieces(at now: Duration) {
        guard isConnected, open.count < limits.requests else { return }
        var unseen = begun
        for digest in order {
            guard unseen > 0 else { return }
            guard let transfer = transfers[digest], transfer.hasBegun else { continue }
            unseen -= 1
            guard transfer.hasRoom, transfer.restsUntil == nil else { continue }
            while let transfer = transfers[digest], !awaitsSource(transfer),
                let range = transfer.nextRange(atMost: limits.piece)
            {
                let length = UInt64(range.count)
                // The piece that is written next never waits for room that early pieces take.
                let isUrgent = range.lowerBound == transfer.written
                guard open.count < limits.requests, bytes + length <= limits.bytes || open.isEmpty && isUrgent else {
                    return
                }
                ask(for: range, of: digest, at: now)
            }
        }
    }

    private mutating func ask(for range: Range<UInt64>, of digest: ContentDigest, at now: Duration) {
        guard let token = transfers[digest]?.waiting.first else { failInvariant("Nobody waits for a file.") }
        let source = transfers[digest]?.source
        if source == nil, open.count == holders.openCount { heardAt = now }
        let number = nextNumber
        nextNumber += 1
        open[number] = Open(digest: digest, range: range, sentAt: now, holder: source?.address)
        bytes += UInt64(range.count)
        transfers[digest]?.take(range)
        let limit = UInt32(clamping: range.count)
        if let source {
            return askDirectly(source, number: number, digest, offset: range.lowerBound, limit: limit, at: now)
        }
        actions.append(.ask(number: number, token, digest, offset: range.lowerBound, limit: limit))
    }
}
