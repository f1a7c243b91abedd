@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The inputs that workers have asked for and not received.
///
/// Owns the requests of each worker's session in the order of their arrival, the requests that are put off, and the number of open
/// requests. Guarantees that a session has at most ``OpenRequests/mostOfPeer`` requests open.
struct InputDelivery {
    private var openRequests = OpenRequests<SessionID>()
    /// The requests to read once their worker has read the earlier inputs, by worker.
    private var waiting: [SessionID: Fifo<UnsentInputs>] = [:]
    /// The requests whose reading failed, or whose attempt was not decided; a later turn with a writable record serves them.
    private var unread: [UnsentInputs] = []

    /// Whether no request waits for its turn.
    var isEmpty: Bool { waiting.isEmpty }

    /// The sessions whose requests wait for their turns.
    var sessions: Dictionary<SessionID, Fifo<UnsentInputs>>.Keys { waiting.keys }

    /// Opens a request, behind the earlier requests of its session.
    ///
    /// - Parameter isUndecided: whether it is not known yet if the attempt is the session's: the request then waits for a later turn.
    /// - Returns: false if the session has too many requests open already.
    mutating func open(_ inputs: UnsentInputs, isUndecided: Bool) -> Bool {
        guard openRequests.open(by: inputs.session) else { return false }
        if isUndecided { put(off: inputs) } else { append(inputs) }
        return true
    }

    /// Adds an open request, or the rest of one, behind the other requests of its session.
    mutating func append(_ inputs: UnsentInputs) { waiting[inputs.session, default: Fifo()].append(inputs) }

    /// The next request of a session.
    func first(of session: SessionID) -> UnsentInputs? { waiting[session]?.first }

    /// Removes the next request of a session; the request stays open.
    mutating func removeFirst(of session: SessionID) {
        let removed = waiting[session]?.popFirst()
        invariant(removed != nil, "A request for inputs is removed that does not wait.")
        if waiting[session]?.isEmpty == true { waiting[session] = nil }
    }

    /// Drops the waiting requests of a session that has ended.
    mutating func dropWaiting(of session: SessionID) {
        while waiting[session]?.popFirst() != nil { openRequests.close(by: session) }
        waiting[session] = nil
    }

    /// Closes a request: its inputs are sent, or the session has ended.
    mutating func close(by session: SessionID) { openRequests.close(by: session) }

    /// Leaves a request to a later turn, because its reading failed or its attempt is not decided.
    mutating func put(off inputs: UnsentInputs) { unread.append(inputs) }

    /// Removes and returns the requests that were put off.
    mutating func takePutOff() -> [UnsentInputs] {
        defer { unread = [] }
        return unread
    }
}
