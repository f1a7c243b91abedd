@_spi(Baton) import BatonOperations

/// Barriers: which nodes may start, and which nodes a finished node lets start (BA1, BA2).
extension Scheduler {
    /// Counts a new node in the youngest segment of its queue; a barrier begins a new segment.
    mutating func countInSegment(_ place: NodeIndex) {
        let node = graph[place]
        if node.isBarrier {
            queues[node.queue].segments.begin(with: graph.reference(to: place), age: node.sequence)
        } else {
            queues[node.queue].segments.add(Int(node.count))
        }
    }

    /// Whether a node may start as far as barriers are concerned: no other operation has to finish first.
    func isFirst(_ node: OperationNode) -> Bool {
        guard queues[node.queue].segments.count > 1 else { return true }
        return queues[node.queue].segments.isFirst(age: node.sequence, isBarrier: node.isBarrier)
    }

    /// Removes a finished node from its segment, and puts nodes in line that barriers no longer block.
    mutating func leaveSegment(_ node: OperationNode) {
        let freed: SlabReference<OperationNode>?
        if node.isBarrier {
            let (parked, next) = queues[node.queue].segments.removeBarrier(age: node.sequence)
            for reference in parked {
                guard let place = graph.resolve(reference) else { continue }
                graph[place].isParked = false
                if graph[place].stage == .ready { enqueue(place) }
            }
            freed = next
        } else {
            freed = queues[node.queue].segments.remove(Int(node.count), age: node.sequence)
        }
        guard let freed, let barrier = graph.resolve(freed), graph[barrier].stage == .ready, !graph[barrier].hasTurn
        else { return }
        enqueue(barrier)
    }
}
