@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The large changes, one of which takes turns, and the requests for changes that wait for its end, in order.
///
/// No two changes take turns at once, and no request changes anything between the turns: of two requests about the same operations,
/// the one has to come wholly before the other. A change that still waits for workers has changed nothing, and lets all others pass.
struct LargeChanges: Sendable {
    /// A request that came during a large change.
    private struct WaitingRequest {
        /// The request.
        var event: Event
        /// The age of the first operation that was added after the request had come, and that it does not mean (CA6).
        var firstLaterAge: UInt64
    }

    /// A change whose turns have not begun.
    private struct Prepared {
        /// The change.
        var change: LargeChange
        /// The nodes, each reserved once for the change until its turn; some may have gone since.
        ///
        /// References, because the index of a node that has gone is used again.
        var nodes: [SlabReference<OperationNode>]
    }

    /// The change that takes turns; nil for none.
    private(set) var underWay: LargeChange? { didSet { noteTurn() } }
    /// The nodes of the change that takes turns, as of ``Prepared``.
    private var nodes: [SlabReference<OperationNode>] = []
    /// The position of the next node.
    private var next = 0
    /// The changes without a turn so far, which hold up no request.
    ///
    /// Some wait for workers, the others for the change under way.
    private var prepared: [Prepared] = [] { didSet { noteTurn() } }
    private var waiting: [WaitingRequest] = [] { didSet { noteTurn() } }
    /// Whether a turn can be taken now.
    ///
    /// Stored, because each turn of the coordinator asks, and a longer getter would get a copy of the whole scheduler.
    private(set) var hasTurn = false

    /// Whether no change is known, and no request waits.
    var isEmpty: Bool { underWay == nil && prepared.isEmpty && waiting.isEmpty }

    /// Whether a request for a change has to wait.
    var holdsUpRequests: Bool { underWay != nil || hasWaiting }

    /// Whether any request waits for the end of a large change.
    @inline(__always) var hasWaiting: Bool { !waiting.isEmpty }

    /// Whether all nodes of the change have had their turn.
    var isLastTurnOver: Bool { next == nodes.count }

    // MARK: - The changes

    /// Adds a change of nodes, which the caller has reserved.
    mutating func add(_ change: LargeChange, of nodes: [SlabReference<OperationNode>]) {
        prepared.append(Prepared(change: change, nodes: nodes))
    }

    /// Begins the turns of the first change that waits for no worker, unless another change takes turns.
    ///
    /// - Returns: the change that takes turns now; nil for none.
    mutating func begin() -> LargeChange? {
        if let underWay { return underWay }
        guard let position = prepared.firstIndex(where: \.change.mayGoOn) else { return nil }
        let first = prepared.remove(at: position)
        (nodes, next) = (first.nodes, 0)
        underWay = first.change
        return first.change
    }

    /// Takes the nodes of the next turn.
    mutating func takeNodes(atMost number: Int) -> ArraySlice<SlabReference<OperationNode>> {
        let turn = nodes[next...].prefix(number)
        next = turn.endIndex
        return turn
    }

    /// Notes what has been changed so far.
    mutating func note(_ report: ChangeReport) { underWay?.report = report }

    /// Ends the wait of a change for workers.
    ///
    /// - Parameter silent: the names of the workers that have not answered.
    mutating func endWait(of request: RequestID, silent: [String]) {
        func end(_ change: inout LargeChange) {
            change.wait = nil
            switch change.kind {
            case .cancel, .finishFlagged: change.report.unanswered = silent
            // Every other change names the workers that have an operation still at its turn.
            default: break
            }
        }
        if underWay?.request == request, var change = underWay {
            end(&change)
            underWay = change
        } else if let position = prepared.firstIndex(where: { $0.change.request == request }) {
            end(&prepared[position].change)
        }
    }

    /// Ends the change, whose nodes have all had their turn.
    mutating func end() -> LargeChange? {
        invariant(isLastTurnOver, "A large change ends before its last turn.")
        defer { underWay = nil }
        (nodes, next) = ([], 0)
        return underWay
    }

    /// Lets the rest of a split block have its turn right after the block, in each change in which the block has not had its own.
    mutating func insert(_ rest: SlabReference<OperationNode>, behind block: SlabReference<OperationNode>) {
        if let position = nodes[next...].firstIndex(of: block) { nodes.insert(rest, at: position + 1) }
        for change in prepared.indices {
            guard let position = prepared[change].nodes.firstIndex(of: block) else { continue }
            prepared[change].nodes.insert(rest, at: position + 1)
        }
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

    private mutating func noteTurn() {
        hasTurn = underWay != nil || hasWaiting || prepared.contains(where: \.change.mayGoOn)
    }

    // MARK: - Checks

    /// The nodes that are reserved until their turns, once for each change.
    var reserved: [SlabReference<OperationNode>] { Array(nodes[next...]) + prepared.flatMap(\.nodes) }

    /// The violated invariants after an event; empty unless the scheduler has a bug.
    func violations() -> [String] {
        if underWay == nil { return nodes.isEmpty ? [] : ["nodes wait for the turn of no change"] }
        return isLastTurnOver ? ["a large change goes on after its last turn"] : []
    }
}
