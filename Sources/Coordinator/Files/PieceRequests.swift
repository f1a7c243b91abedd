@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The pieces of files that are wanted and on their way, and how many bytes of them may be.
///
/// Owns the requests that wait, those that holders have, each with a number for the answer, and the bytes that were asked for or are not
/// delivered. Guarantees:
///
/// - A worker has at most ``mostOfWorker`` requests here. Its pieces, and those of all workers, stay within budgets of bytes, from the
///   question to the holder until the piece has left, so that a slow receiver takes no more memory (FI12).
/// - Those who wait take turns, and the requests of each are served in their order.
/// - A holder that is silent while it has requests is found out.
/// - A client waits for a holder without a connection for files, which is about to open one, but not for longer than for a silent one.
struct PieceRequests {
    /// The most requests of a worker, open or waiting.
    static let mostOfWorker = 64
    /// The most bytes of pieces for clients that are asked for; those that have come count as other replies.
    static let mostForClients = 32 << 20
    /// How long a holder may be silent while it has requests; any piece of it ends the silence.
    static let patience = Duration.seconds(30)
    /// How long a client waits at most for holders that are silent altogether: its request has an answer before it gives up itself.
    static let longestWait = Duration.seconds(50)
    /// The bytes of a message beside those of the piece.
    static let overhead = WireLimits.pieceOverhead

    /// Who waits together.
    private enum Line: Hashable {
        case worker(RoutingID)
        case clients
    }

    /// A request that a holder has.
    private struct Open {
        var request: PieceRequest
        var holder: SessionID
    }

    /// A worker that has requests.
    private struct Holder {
        /// The number of its open requests.
        var open = 0
        /// When it gave a piece last; or, if later, when the first of its open requests was sent.
        var heardAt: Timestamp
        /// Whether it has been silent for too long since.
        var isSilent = false
        /// Until when it may be silent for longer, as its worker is silent altogether.
        var excusedUntil: Timestamp?
    }

    private var open: [UInt64: Open] = [:]
    private var next: UInt64 = 1
    private var lines: [Line: Fifo<PieceRequest>] = [:]
    /// The lines that are not empty, in the order of their turns.
    private var turns: [Line] = []
    /// The requests of clients for whose files no holder can be asked at present.
    private var postponed: [PieceRequest] = []
    /// The number of requests of each worker, open or waiting.
    private var counts: [RoutingID: Int] = [:]
    /// The bytes for workers that are asked for or not delivered.
    private var bytes = ByteBudget<RoutingID>(ofPeer: 8 << 20, inAll: 128 << 20, ownShare: 1 << 20)
    private var bytesForClients = 0
    private var holders: [SessionID: Holder] = [:]
    /// Where the files come from that workers and clients have begun to receive.
    private var sources: [Line: PieceSources] = [:]

    /// The bytes of pieces that were passed on since the start.
    private(set) var passedBytes: UInt64 = 0

    /// The bytes of files that workers report to have received directly from other workers since the start.
    private(set) var directBytes: UInt64 = 0

    /// The number of pieces that were requested from holders and have not arrived.
    var openCount: Int { open.count }

    /// Whether bytes for workers are asked for or not delivered.
    var hasBytes: Bool { bytes.total > 0 }

    /// Whether any request waits.
    var isAnyWaiting: Bool { !turns.isEmpty }

    /// Whether a request can be passed to a holder now.
    var canServe: Bool { !turns.isEmpty && turns.contains { hasRoom(for: $0) } }

    /// Whether a worker may have another request here.
    func hasRoom(for peer: RoutingID) -> Bool { counts[peer, default: 0] < Self.mostOfWorker }

    // MARK: - The way of a request

    /// Adds a request behind the others of its line.
    mutating func append(_ request: PieceRequest) {
        let line = Self.line(of: request)
        if case .worker(let peer) = line { counts[peer, default: 0] += 1 }
        if lines[line] == nil { turns.append(line) }
        lines[line, default: Fifo()].append(request)
    }

    /// Removes and returns the next request that there is room for; ``open(_:of:at:)`` or ``drop(_:)`` has to follow.
    mutating func takeNext() -> PieceRequest? {
        guard let place = turns.firstIndex(where: { hasRoom(for: $0) }) else { return nil }
        let line = turns.remove(at: place)
        guard let request = lines[line]?.popFirst() else { failInvariant("A line without requests has a turn.") }
        if lines[line]?.isEmpty == true { lines[line] = nil } else { turns.append(line) }
        return request
    }

    /// Notes that a holder is asked.
    ///
    /// - Returns: the number for its answer.
    mutating func open(_ request: PieceRequest, of holder: SessionID, at now: Timestamp) -> UInt64 {
        let number = next
        next += 1
        var asked = request
        (asked.deadline, asked.latestDeadline) = (nil, nil)
        open[number] = Open(request: asked, holder: holder)
        var state = holders[holder] ?? Holder(heardAt: now)
        if state.open == 0, !state.isSilent { state.heardAt = now }
        state.open += 1
        holders[holder] = state
        let isBeginning = request.offset == 0
        sources[Self.line(of: request), default: PieceSources()].noteHolder(holder, of: request.digest, isBeginning)
        switch request.asker {
        case .worker(let peer, _, _): bytes.reserve(Int(request.limit), for: peer)
        case .client: bytesForClients += Int(request.limit)
        }
        return number
    }

    /// Notes that a holder gives a sign of life.
    mutating func heard(_ holder: SessionID, at now: Timestamp) {
        guard holders[holder] != nil else { return }
        holders[holder]?.heardAt = now
        holders[holder]?.isSilent = false
        holders[holder]?.excusedUntil = nil
        forgetIfIdle(holder)
    }

    /// Removes and returns a request that a holder answers; nil if the holder was not asked.
    mutating func take(_ number: UInt64, of holder: SessionID) -> PieceRequest? {
        guard let request = open[number], request.holder == holder else { return nil }
        close(number)
        return request.request
    }

    /// Forgets a request that was answered, or whose sender has gone.
    mutating func drop(_ request: PieceRequest) {
        guard case .worker(let peer, _, _) = request.asker, let count = counts[peer] else { return }
        counts[peer] = count > 1 ? count - 1 : nil
    }

    /// Lets a client's request wait for a holder to open a connection.
    ///
    /// - Parameter isSilent: whether a holder is silent altogether: it is waited for until it is lost, but not for ever.
    /// - Returns: whether it waits; false for a worker's, which asks again itself, and for one that has waited for too long.
    mutating func postpone(_ request: PieceRequest, at now: Timestamp, isSilent: Bool = false) -> Bool {
        let latest = request.latestDeadline ?? now + Self.longestWait
        let deadline = isSilent ? min(now + Self.patience, latest) : request.deadline ?? now + Self.patience
        guard request.isOfClient, now < deadline else { return false }
        var request = request
        (request.deadline, request.latestDeadline) = (deadline, latest)
        postponed.append(request)
        return true
    }

    /// Has all postponed requests tried once more.
    mutating func resumePostponed() {
        guard !postponed.isEmpty else { return }
        let requests = postponed
        postponed = []
        for request in requests { append(request) }
    }

    /// Notes that a piece has been handed over for a worker, which closes its request.
    mutating func pass(_ length: Int, of request: PieceRequest) {
        passedBytes += UInt64(length)
        drop(request)
    }

    /// Notes that a worker has received bytes directly; the number is what it tells.
    mutating func noteDirect(_ count: UInt64) {
        let (sum, isTooMuch) = directBytes.addingReportingOverflow(count)
        directBytes = isTooMuch ? .max : sum
    }

    /// Notes a message to a connection for files until its delivery.
    mutating func noteMessage(_ length: Int, to peer: RoutingID) { bytes.reserve(length, for: peer) }

    /// Notes that bytes have been delivered or dropped.
    mutating func noteDelivery(_ length: Int, to peer: RoutingID) { bytes.giveBack(length, of: peer) }

    private mutating func close(_ number: UInt64) {
        guard let closed = open.removeValue(forKey: number) else { return }
        holders[closed.holder]?.open -= 1
        forgetIfIdle(closed.holder)
        switch closed.request.asker {
        case .worker(let peer, _, _): bytes.giveBack(Int(closed.request.limit), of: peer)
        case .client:
            bytesForClients -= Int(closed.request.limit)
            invariant(bytesForClients >= 0, "A piece for a client is closed twice.")
        }
    }

    private func hasRoom(for line: Line) -> Bool {
        guard let limit = lines[line]?.first?.limit else { return false }
        return switch line {
        case .worker(let peer): bytes.hasRoom(for: Int(limit), of: peer)
        case .clients: bytesForClients == 0 || bytesForClients + Int(limit) <= Self.mostForClients
        }
    }

    private static func line(of request: PieceRequest) -> Line {
        switch request.asker {
        case .worker(let peer, _, _): .worker(peer)
        case .client: .clients
        }
    }

    // MARK: - Holders

    /// Chooses the holder to ask: that of the earlier pieces, or a silent one last and a busy one late.
    ///
    /// A file that is asked for from its beginning once more may have come damaged: then another holder comes first (FI8).
    ///
    /// - Parameter candidates: the workers that can be asked, the preferred ones first.
    func holder(for request: PieceRequest, among candidates: [SessionID]) -> SessionID? {
        let free = candidates.enumerated().min { one, other in
            let (first, second) = (holders[one.element], holders[other.element])
            let firstPlace = (first?.isSilent == true ? 1 : 0, first?.open ?? 0, one.offset)
            return firstPlace < (second?.isSilent == true ? 1 : 0, second?.open ?? 0, other.offset)
        }?.element
        guard let last = sources[Self.line(of: request)]?.holder(of: request.digest),
            let place = candidates.firstIndex(of: last)
        else { return free }
        guard request.offset == 0 else { return holders[last]?.isSilent == true ? free : last }
        let others = candidates[(place + 1)...] + candidates[...place]
        return others.first { holders[$0]?.isSilent != true } ?? others.first
    }

    /// Whether a request is the first for its file by its sender over the same connection, or the first for some time.
    func isFirst(_ request: PieceRequest) -> Bool {
        sources[Self.line(of: request)]?.holder(of: request.digest) == nil
    }

    /// Notes that a holder has given a piece for a worker.
    mutating func noteGiver(_ holder: SessionID, of request: PieceRequest) {
        sources[Self.line(of: request)]?.noteGiver(holder, of: request.digest)
    }

    /// Notes that the rest of a file is not to be had for a worker: the holders that have given pieces are not to blame for that.
    mutating func noteIncomplete(_ digest: ContentDigest, for peer: RoutingID) {
        sources[.worker(peer)]?.noteIncomplete(digest)
    }

    /// Notes that a worker gives a file up, for one of the attempts that wait for it.
    ///
    /// - Returns: the holders whose pieces of it have come; nil if none has given any.
    mutating func giveUp(_ digest: ContentDigest, for peer: RoutingID) -> [SessionID]? {
        sources[.worker(peer)]?.giveUp(digest)
    }

    private mutating func forgetIfIdle(_ holder: SessionID) {
        guard let state = holders[holder], state.open == 0, !state.isSilent else { return }
        holders[holder] = nil
    }

    /// The holders that have been silent for too long with open requests, and were not found out before.
    mutating func takeSilentHolders(at now: Timestamp) -> [SessionID] {
        guard !open.isEmpty else { return [] }
        let silent = holders.filter { _, state in
            state.open > 0 && state.heardAt + Self.patience <= now && (state.excusedUntil.map { $0 <= now } ?? true)
        }.keys
        for holder in silent { holders[holder]?.isSilent = true }
        return silent.sorted { $0.rawValue < $1.rawValue }
    }

    /// The holders that have open requests, in order.
    var askedHolders: [SessionID] {
        open.isEmpty ? [] : holders.filter { $0.value.open > 0 }.keys.sorted { $0.rawValue < $1.rawValue }
    }

    /// Lets a holder be silent for longer: its worker is silent altogether, and may be back with all answers.
    mutating func excuse(_ holder: SessionID, at now: Timestamp) {
        guard let state = holders[holder] else { return }
        holders[holder]?.excusedUntil = min(now + Self.patience, state.heardAt + Self.longestWait)
    }

    /// Whether a holder with open requests has been silent for as long as clients wait at most.
    func isSilentForLong(_ holder: SessionID, at now: Timestamp) -> Bool {
        holders[holder].map { $0.heardAt + Self.longestWait <= now } ?? true
    }

    /// Notes that a holder is silent: others are preferred until it gives a piece.
    mutating func noteSilence(of holder: SessionID, at now: Timestamp) {
        holders[holder, default: Holder(heardAt: now)].isSilent = true
    }

    /// Removes and returns the requests that a holder has and that meet a condition, in the order of their numbers.
    mutating func takeAll(
        of holder: SessionID,
        where isWanted: (PieceRequest) -> Bool = { _ in true }
    ) -> [PieceRequest] {
        guard !open.isEmpty else { return [] }
        let taken = open.filter { $0.value.holder == holder && isWanted($0.value.request) }.sorted { $0.key < $1.key }
        for (number, _) in taken { close(number) }
        return taken.map(\.value.request)
    }

    // MARK: - Connections that end

    /// Forgets a worker's requests, and the bytes for it, with its connection.
    mutating func forgetAsker(_ peer: RoutingID) {
        for (number, asked) in open {
            if case .worker(peer, _, _) = asked.request.asker { close(number) }
        }
        lines[.worker(peer)] = nil
        turns.removeAll { $0 == .worker(peer) }
        counts[peer] = nil
        sources[.worker(peer)] = nil
        bytes.giveBack(bytes[peer], of: peer)
    }

    /// Forgets a worker that holds nothing any more.
    mutating func forgetHolder(_ session: SessionID) { holders[session] = nil }
}
