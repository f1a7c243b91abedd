@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Decides which pieces of files to ask for, and in which order their bytes are written.
///
/// Owns the attempts that wait for files, first come first served, one transfer for each missing content, however many attempts wait for
/// it, and the open requests. Guarantees:
///
/// - At most ``Limits/requests`` requests are open, and at most ``Limits/bytes`` are asked for or wait for their turn in memory.
/// - The bytes of a file are written in order, each once, and the file ends with the check of its digest (FI3).
/// - Each attempt is reported once: as soon as it has all of its files, or as soon as one of them cannot be had.
/// - Copies that are made for no attempt come behind all files of attempts; they have tokens of copies.
/// - A file with a direct source comes from that worker as long as it answers, and otherwise through the coordinator.
///
/// A state machine without a socket, a disk and a clock: calls report events, and ``takeActions(at:)`` returns the actions.
struct FileFetches {
    let limits: Limits
    /// The attempts that wait, with the number of their missing files.
    private var attempts: [AttemptToken: Int] = [:]
    var transfers: [ContentDigest: FileTransfer] = [:]
    /// The contents in the order in which they are asked for; at the end those that no attempt waits for.
    var order: [ContentDigest] = []
    /// The number of contents at the end of the order that no attempt waits for.
    private var behind = 0
    var open: [UInt64: Open] = [:]
    var nextNumber: UInt64 = 1
    /// The bytes that are asked for, or have come before their turn.
    var bytes: UInt64 = 0
    var begun = 0
    /// The transfers that rest.
    private var resting: Set<ContentDigest> = []
    var actions: [Action] = []
    /// How often ``arrived`` has changed, but for the ends of transfers.
    var moves: UInt64 = 0
    var isConnected = false
    /// When the coordinator's last message came, or the first of the open requests to it was sent.
    var heardAt = Duration.zero

    // Direct transfers: see FileFetches+Direct.
    var holders = DirectHolders()
    /// Whether the coordinator has named a worker that gives a file directly since the connection was made.
    var namesSources = false
    /// The bytes that have come directly from other workers.
    var directBytes: UInt64 = 0

    /// How often a content may be wrong before it counts as lost (FI8).
    private static let mostWrongCopies = 2
    /// How often in sequence this host may have no room for a file before its attempts are given back.
    private static let mostFailures = 4
    /// The pauses before a file that cannot be had for the moment is asked for again.
    private static let pauses = (shortest: Duration.seconds(1), longest: Duration.seconds(16))
    /// How long a connection may be silent while requests are open.
    static let patience = Duration.seconds(60)
    /// How long a request may be open: the coordinator makes those of slow receivers wait, and drops none on purpose.
    static let longestWait = Duration.seconds(300)

    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Whether nothing is to be fetched.
    var isEmpty: Bool { attempts.isEmpty }

    /// The bytes that were written so far of the contents that are being fetched.
    var arrived: [ContentDigest: UInt64] { transfers.mapValues(\.written).filter { $0.value > 0 } }

    /// The number of open requests.
    var openCount: Int { open.count }

    /// When a turn is due without an event; nil if none is.
    var nextDeadline: Duration? {
        guard isConnected, !transfers.isEmpty || !open.isEmpty else { return nil }
        let rests = resting.compactMap { transfers[$0]?.restsUntil }.min()
        return .least(.least(rests, stuckAt), holders.nextDeadline)
    }

    /// Whether the connection has been silent for so long that another one has to take its place.
    func isStuck(at now: Duration) -> Bool { isConnected && stuckAt.map { $0 <= now } ?? false }

    /// When the patience with the connection ends; nil without an open request to the coordinator.
    private var stuckAt: Duration? {
        let earliest = open.values.lazy.filter { $0.holder == nil }.map(\.sentAt).min()
        return earliest.map { min(heardAt + Self.patience, $0 + Self.longestWait) }
    }

    /// What to do, in order; empty if there is nothing to do before the next event.
    ///
    /// - Parameter now: the time since any fixed moment, by a clock that never goes backwards.
    mutating func takeActions(at now: Duration) -> [Action] {
        endRests(at: now)
        leaveSilentHolders(at: now)
        beginTransfers()
        askForPieces(at: now)
        defer { actions = [] }
        return actions
    }

    private mutating func endRests(at now: Duration) {
        for digest in resting where transfers[digest]?.restsUntil.map({ $0 <= now }) ?? true {
            transfers[digest]?.restsUntil = nil
            resting.remove(digest)
        }
    }
}

// MARK: - Attempts

extension FileFetches {
    /// Fetches the missing files of an attempt.
    ///
    /// - Parameter missing: the files that are not on this host, in the order of fetching; several may have one content.
    mutating func fetch(_ missing: [KeptFile], of token: AttemptToken) {
        guard attempts[token] == nil else { return }
        var count = 0
        for file in missing {
            guard let transfer = transfers[file.digest] else {
                transfers[file.digest] = FileTransfer(file: file, waiting: [token])
                lineUp(file.digest, isBehind: token.isOfCopy)
                count += 1
                continue
            }
            guard !transfer.waiting.contains(token) else { continue }
            // The coordinator gives a file in the name of the first, which has to be an attempt if there is one.
            let place = token.isOfCopy ? nil : transfer.waiting.firstIndex(where: \.isOfCopy)
            transfers[file.digest]?.waiting.insert(token, at: place ?? transfer.waiting.endIndex)
            if transfer.isBehind, !token.isOfCopy {
                leaveOrder(file.digest)
                lineUp(file.digest, isBehind: false)
            }
            count += 1
        }
        guard count > 0 else { return actions.append(.report(token)) }
        attempts[token] = count
    }

    /// Puts a content behind all others of its kind.
    private mutating func lineUp(_ digest: ContentDigest, isBehind: Bool) {
        transfers[digest]?.isBehind = isBehind
        order.insert(digest, at: isBehind ? order.endIndex : order.endIndex - behind)
        if isBehind { behind += 1 }
    }

    /// Takes a content out of the order.
    private mutating func leaveOrder(_ digest: ContentDigest) {
        if transfers[digest]?.isBehind == true { behind -= 1 }
        if let place = order.firstIndex(of: digest) { order.remove(at: place) }
    }

    /// Fetches nothing more for an attempt, and reports nothing of it.
    mutating func drop(_ token: AttemptToken) {
        guard attempts.removeValue(forKey: token) != nil else { return }
        for digest in order {
            transfers[digest]?.waiting.removeAll { $0 == token }
            if transfers[digest]?.waiting.isEmpty == true { end(digest, isAbandoned: true) }
        }
    }

    /// Reports the attempts that cannot have a content.
    ///
    /// - Parameter isLost: whether no worker sends it; otherwise this host cannot keep it.
    mutating func giveUp(_ digest: ContentDigest, isLost: Bool) {
        guard let transfer = transfers[digest] else { return }
        for token in transfer.waiting {
            drop(token)
            actions.append(isLost ? .giveUp(token, digest) : .fail(token, digest))
        }
    }

    /// Notes that a content is complete, and reports the attempts that have all of their files now.
    private mutating func complete(_ digest: ContentDigest) {
        guard let transfer = transfers[digest] else { return }
        end(digest, isAbandoned: false)
        for token in transfer.waiting {
            guard let missing = attempts[token] else { failInvariant("An unknown attempt has waited for a file.") }
            attempts[token] = missing > 1 ? missing - 1 : nil
            if missing <= 1 { actions.append(.report(token)) }
        }
    }

    /// Forgets a transfer; its open requests count until they are answered.
    private mutating func end(_ digest: ContentDigest, isAbandoned: Bool) {
        leaveOrder(digest)
        guard let transfer = transfers.removeValue(forKey: digest) else { return }
        resting.remove(digest)
        forgetRequests(of: digest)
        for piece in transfer.early.values { bytes -= UInt64(piece.count) }
        guard transfer.hasBegun else { return }
        begun -= 1
        if isAbandoned { actions.append(.abandon(digest)) }
    }

    private mutating func forgetRequests(of digest: ContentDigest) {
        for (number, request) in open where request.digest == digest { open[number]?.digest = nil }
    }
}

// MARK: - The disk

extension FileFetches {
    /// Makes room for the next files.
    private mutating func beginTransfers() {
        guard isConnected, begun < min(limits.transfers, transfers.count) else { return }
        var copies = behind > 0 ? order.suffix(behind).count { transfers[$0]?.hasBegun == true } : 0
        for digest in order {
            guard begun < limits.transfers else { return }
            guard let transfer = transfers[digest], !transfer.hasBegun, transfer.restsUntil == nil else { continue }
            if transfer.isBehind {
                guard copies < limits.copies else { return }
                copies += 1
            }
            transfers[digest]?.hasBegun = true
            begun += 1
            actions.append(.begin(transfer.file))
        }
    }

    /// Notes that room for a file is made; an empty file is complete at once.
    mutating func began(_ digest: ContentDigest) {
        guard let transfer = transfers[digest] else { return }
        transfers[digest]?.hasRoom = true
        if transfer.isComplete { actions.append(.finish(digest)) }
    }

    /// Notes that a file has come from elsewhere meanwhile, as when an attempt on this host has left it.
    mutating func isHeld(_ digest: ContentDigest) {
        complete(digest)
    }

    /// Notes that this host has no room for a file, or cannot write it: the transfer begins again later, and not for ever.
    mutating func failed(_ digest: ContentDigest, at now: Duration) {
        guard let transfer = transfers[digest] else { return }
        guard transfer.failures + 1 < Self.mostFailures else { return giveUp(digest, isLost: false) }
        transfers[digest]?.failures += 1
        restart(digest)
        delay(digest, at: now)
    }

    /// Notes the check of a complete file: a wrong one is asked for once more from its beginning (FI8).
    mutating func finished(_ digest: ContentDigest, isRight: Bool, at now: Duration) {
        guard let transfer = transfers[digest] else { return }
        guard !isRight else { return complete(digest) }
        transfers[digest]?.hasBegun = false
        transfers[digest]?.hasRoom = false
        begun -= 1
        noteWrongCopy(of: digest, after: transfer)
    }

    /// Drops the arrived bytes of a file, and begins again, or gives up.
    mutating func noteWrongCopy(of digest: ContentDigest, after transfer: FileTransfer) {
        transfers[digest]?.wrongCopies += 1
        guard transfer.wrongCopies + 1 < Self.mostWrongCopies else { return giveUp(digest, isLost: true) }
        restart(digest)
    }

    /// Begins a transfer again from its first byte.
    private mutating func restart(_ digest: ContentDigest) {
        guard var transfer = transfers[digest] else { return }
        if transfer.hasBegun {
            begun -= 1
            actions.append(.abandon(digest))
        }
        forgetRequests(of: digest)
        for piece in transfer.early.values { bytes -= UInt64(piece.count) }
        (transfer.hasBegun, transfer.hasRoom) = (false, false)
        (transfer.written, transfer.next) = (0, 0)
        moves += 1
        (transfer.again, transfer.early) = ([], [:])
        // Another copy may be right, which the coordinator chooses.
        transfer.source = nil
        transfers[digest] = transfer
    }

    /// Lets a transfer rest, longer each time.
    mutating func delay(_ digest: ContentDigest, at now: Duration) {
        guard let transfer = transfers[digest], resting.insert(digest).inserted else { return }
        let pause = min(Self.pauses.shortest * (1 << min(transfer.delays, 8)), Self.pauses.longest)
        transfers[digest]?.delays += 1
        transfers[digest]?.restsUntil = now + pause
    }
}
