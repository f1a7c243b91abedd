@_spi(Baton) import BatonOperations

/// The ready nodes for which no worker may fetch files now, apart from the lines of their queues, so that other nodes can pass them (FI4).
///
/// A node that has left its line in another way since, or is back, keeps its entry until the entry comes first.
struct FetchLines: Sendable {
    /// The nodes of a queue that the same workers could run.
    struct Line: Hashable, Sendable {
        let queue: QueueIndex
        let requirement: Requirement?
    }

    private var lines: [Line: BinaryHeap<ReadyEntry>] = [:]

    /// Whether no node waits.
    @inline(__always) var isEmpty: Bool { lines.isEmpty }

    /// The lines with nodes, those of the first queues first.
    var all: [Line] { lines.keys.sorted { $0.queue < $1.queue } }

    /// The entries of a line in no order, with those of nodes that have left it since.
    func entries(of line: Line) -> [ReadyEntry] { lines[line]?.elements ?? [] }

    /// Adds a node.
    mutating func insert(_ entry: ReadyEntry, into line: Line) {
        lines[line, default: BinaryHeap()].insert(entry)
    }

    /// Removes and returns the first node of a line; nil if there is none.
    mutating func takeFirst(of line: Line) -> ReadyEntry? {
        guard let first = lines[line]?.min else { return nil }
        lines[line]?.removeMin()
        if lines[line]?.count == 0 { lines[line] = nil }
        return first
    }

    /// Whether a node waits, or had waited and has an entry yet.
    ///
    /// - Complexity: O(nodes); for checks.
    func contains(_ node: SlabReference<OperationNode>) -> Bool {
        lines.values.contains { $0.elements.contains { $0.node == node } }
    }
}
