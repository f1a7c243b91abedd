@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The large change that takes turns, and the requests for changes that wait for its end, in order.
///
/// No two changes take turns at once: of two requests about the same operations, the later one has to come last.
struct LargeChanges: Sendable {
    /// A request that came during a large change.
    private struct WaitingRequest {
        /// The request.
        var event: Event
        /// The age of the first operation that was added after the request had come, and that it does not mean (CA6).
        var firstLaterAge: UInt64
    }

    /// The change that takes turns; nil for none.
    private(set) var underWay: LargeChange? { didSet { noteTurn() } }
    /// The nodes of the change, each reserved once until its turn; some may have gone since.
    ///
    /// References, because the index of a node that has gone is used again.
    private var nodes: [SlabReference<OperationNode>] = []
    /// The position of the next node.
    private var next = 0
    private var waiting: [WaitingRequest] = [] { didSet { noteTurn() } }
    /// Whether a turn can be taken now.
    ///
    /// Stored, because each turn of the coordinator asks, and a longer getter would get a copy of the whole scheduler.
    private(set) var hasTurn = false

    /// Whether no change takes turns, and no request waits.
    var isEmpty: Bool { underWay == nil && waiting.isEmpty }

    /// Whether any request waits for the end of a large change.
    var hasWaiting: Bool { !waiting.isEmpty }

    /// Whether all nodes of the change have had their turn.
    var isLastTurnOver: Bool { next == nodes.count }

    // MARK: - The change

    /// Begins a change of nodes, which the caller has reserved.
    mutating func begin(_ change: LargeChange, of nodes: [SlabReference<OperationNode>]) {
        invariant(underWay == nil, "A large change begins before the end of another one.")
        underWay = change
        self.nodes = nodes
        next = 0
    }

    /// Takes the nodes of the next turn.
    mutating func takeNodes(atMost number: Int) -> ArraySlice<SlabReference<OperationNode>> {
        let turn = nodes[next...].prefix(number)
        next = turn.endIndex
        return turn
    }

    /// Notes what has been changed so far.
    mutating func note(_ report: ChangeReport) { underWay?.report = report }

    /// Ends the wait of the change for workers.
    ///
    /// - Parameter silent: the names of the workers that have not answered.
    mutating func endWait(silent: [String]) {
        underWay?.wait = nil
        // Every other change names the workers that have an operation still at its turn.
        if case .cancel? = underWay?.kind { underWay?.report.unanswered = silent }
    }

    /// Ends the change, whose nodes have all had their turn.
    mutating func end() -> LargeChange? {
        invariant(isLastTurnOver, "A large change ends before its last turn.")
        defer { underWay = nil }
        (nodes, next) = ([], 0)
        return underWay
    }

    /// Lets the rest of a split block have its turn right after the block, if the block has not had its own.
    mutating func insert(_ rest: SlabReference<OperationNode>, behind block: SlabReference<OperationNode>) {
        guard let position = nodes[next...].firstIndex(of: block) else { return }
        nodes.insert(rest, at: position + 1)
    }

    // MARK: - Requests that wait

    /// Lets a request wait for the end of all earlier ones.
    ///
    /// - Parameter firstLaterAge: the age of the next operation.
    mutating func append(_ event: Event, firstLaterAge: UInt64) {
        waiting.append(WaitingRequest(event: event, firstLaterAge: firstLaterAge))
    }

    /// Takes the first request that waits.
    mutating func takeWaiting() -> (event: Event, firstLaterAge: UInt64)? {
        guard !waiting.isEmpty else { return nil }
        let first = waiting.removeFirst()
        return (first.event, first.firstLaterAge)
    }

    /// Passes the ends of finished targets, nil for all others, to the requests that may name them (DE6).
    mutating func learn(_ end: (Address) -> DependencyEnd?) {
        for position in waiting.indices { _ = waiting[position].event.learn(end) }
    }

    private mutating func noteTurn() { hasTurn = underWay.map(\.mayGoOn) ?? hasWaiting }

    // MARK: - Checks

    /// The nodes that are reserved until their turns.
    var reserved: [SlabReference<OperationNode>] { Array(nodes[next...]) }

    /// The violated invariants after an event; empty unless the scheduler has a bug.
    func violations() -> [String] {
        if underWay == nil { return nodes.isEmpty ? [] : ["nodes wait for the turn of no change"] }
        return isLastTurnOver ? ["a large change goes on after its last turn"] : []
    }
}
