@_spi(Baton) import BatonOperations

/// Segments: the parts into which barriers divide a queue (BA1, BA2).
extension Scheduler {
    /// Counts a new node in the youngest segment of its queue; a barrier begins a new segment.
    mutating func countInSegment(_ place: NodeIndex) {
        let node = graph[place]
        let queue = node.queue
        if node.isBarrier {
            let segment = QueueState.Segment(barrier: graph.reference(to: place), start: node.sequence)
            queues[queue].segments.append(segment)
        } else {
            queues[queue].segments[queues[queue].segments.count - 1].unfinished += Int(node.count)
        }
    }

    /// Whether a node may start as far as barriers are concerned: no other operation has to finish first.
    func isFirst(_ node: OperationNode) -> Bool {
        let queue = node.queue
        guard queues[queue].segments.count > 1 else { return true }
        return queues[queue].segment(ofAge: node.sequence) == 0
            && (!node.isBarrier || queues[queue].segments[0].unfinished == 0)
    }

    /// Removes a finished node from its segment, and puts nodes in line that barriers no longer block.
    mutating func leaveSegment(_ node: OperationNode) {
        let queue = node.queue
        let segment = queues[queue].segments.count == 1 ? 0 : queues[queue].segment(ofAge: node.sequence)
        if node.isBarrier {
            let behind = queues[queue].segments.remove(at: segment + 1)
            queues[queue].segments[segment].unfinished += behind.unfinished
            if segment > 0 {
                queues[queue].segments[segment].parked += behind.parked
            } else {
                for reference in behind.parked {
                    guard let place = graph.resolve(reference) else { continue }
                    graph[place].isParked = false
                    if graph[place].stage == .ready { enqueue(place) }
                }
            }
        } else {
            queues[queue].segments[segment].unfinished -= Int(node.count)
        }
        guard segment == 0, queues[queue].segments.count > 1, queues[queue].segments[0].unfinished == 0,
            let reference = queues[queue].segments[1].barrier, let barrier = graph.resolve(reference),
            graph[barrier].stage == .ready, !graph[barrier].hasTurn
        else { return }
        enqueue(barrier)
    }
}
