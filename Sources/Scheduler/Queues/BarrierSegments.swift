@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The segments of a queue: the parts into which barriers divide the queue (BA1, BA2).
///
/// The first segment has no barrier before it. Every other segment begins with the barrier that must finish before any operation
/// of the segment starts. A barrier itself belongs to the segment that ends with the barrier.
struct BarrierSegments {
    /// The operations of a queue between two barriers.
    private struct Segment {
        /// The barrier that must finish before any operation of the segment starts; nil for the first segment.
        var barrier: SlabReference<OperationNode>?
        /// The age of the barrier: older operations come before it.
        var start: UInt64
        /// The number of unfinished operations in the segment, without the barrier.
        var unfinished = 0
        /// The nodes of the segment that have become ready, each once, in no order; some may have changed since.
        var parked: [SlabReference<OperationNode>] = []
    }

    /// The segments, oldest first.
    private var segments = [Segment(barrier: nil, start: 0)]

    // MARK: - Positions

    /// The number of segments, which is one more than the number of unfinished barriers.
    @inline(__always) var count: Int { segments.count }

    /// The position of the segment of a node with an age.
    ///
    /// - Complexity: O(log barriers).
    func position(ofAge sequence: UInt64) -> Int {
        (1..<segments.count).binarySearch { segments[$0].start >= sequence } - 1
    }

    /// Whether a node may start as far as barriers are concerned: no other operation has to finish first.
    func isFirst(age sequence: UInt64, isBarrier: Bool) -> Bool {
        guard segments.count > 1 else { return true }
        return position(ofAge: sequence) == 0 && (!isBarrier || segments[0].unfinished == 0)
    }

    /// Whether an unfinished barrier is younger than a node with an age.
    func haveBarrier(youngerThan sequence: UInt64) -> Bool { segments.last.map { $0.start > sequence } ?? false }

    /// The barrier before a segment; nil for the first segment.
    func barrier(before position: Int) -> SlabReference<OperationNode>? { segments[position].barrier }

    /// The number of unfinished operations in the first segments, including the barriers between these segments.
    func unfinished(inFirst number: Int) -> Int {
        segments[..<number].reduce(max(number - 1, 0)) { $0 + $1.unfinished }
    }

    // MARK: - Nodes that come and go

    /// Counts new operations in the youngest segment.
    mutating func add(_ number: Int) {
        invariant(number > 0, "No operation is added to a queue.")
        segments[segments.count - 1].unfinished += number
    }

    /// Begins a new segment with a new barrier.
    mutating func begin(with barrier: SlabReference<OperationNode>, age sequence: UInt64) {
        invariant(
            segments.last.map { $0.start < sequence || $0.barrier == nil } ?? false,
            "A barrier is older than the barrier before it."
        )
        segments.append(Segment(barrier: barrier, start: sequence))
    }

    /// Puts a node that has become ready behind a barrier in the list of its segment.
    mutating func park(_ node: SlabReference<OperationNode>, age sequence: UInt64) {
        let position = position(ofAge: sequence)
        invariant(position > 0, "An operation waits for a barrier, and none comes before it.")
        segments[position].parked.append(node)
    }

    /// Removes finished operations from their segment.
    ///
    /// - Returns: the barrier that waited for these operations last, if any.
    mutating func remove(_ number: Int, age sequence: UInt64) -> SlabReference<OperationNode>? {
        let position = segments.count == 1 ? 0 : position(ofAge: sequence)
        segments[position].unfinished -= number
        invariant(segments[position].unfinished >= 0, "A segment counts fewer than no unfinished operations.")
        return barrier(freedIn: position)
    }

    /// Removes a finished barrier, and joins the two segments that the barrier divided.
    ///
    /// - Returns: the nodes that no barrier blocks any more, and the next barrier if nothing blocks it any more.
    mutating func removeBarrier(
        age sequence: UInt64
    ) -> (nodes: [SlabReference<OperationNode>], barrier: SlabReference<OperationNode>?) {
        let position = position(ofAge: sequence)
        invariant(position + 1 < segments.count, "A barrier that has finished divided no segments.")
        let behind = segments.remove(at: position + 1)
        invariant(behind.start == sequence, "Another barrier than the finished one is removed.")
        segments[position].unfinished += behind.unfinished
        guard position == 0 else {
            segments[position].parked += behind.parked
            return ([], nil)
        }
        return (behind.parked, barrier(freedIn: position))
    }

    /// The barrier behind a segment, if nothing comes before the barrier.
    private func barrier(freedIn position: Int) -> SlabReference<OperationNode>? {
        position == 0 && segments.count > 1 && segments[0].unfinished == 0 ? segments[1].barrier : nil
    }

    // MARK: - Checks

    /// The number of unfinished operations in each segment, without the barriers.
    var unfinished: [Int] { segments.map(\.unfinished) }

    /// The parked nodes of a segment.
    func parked(in position: Int) -> [SlabReference<OperationNode>] { segments[position].parked }
}
