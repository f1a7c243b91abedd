@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// Blocks of array elements: a block is split where its elements part ways.
extension Scheduler {
    /// Splits the block that contains an operation, if any, so that no block extends across the operation's index.
    ///
    /// - Parameter isConnected: see ``isolate(_:in:isConnected:)``.
    mutating func separate(_ job: JobNumber, from index: UInt32, isConnected: Bool = true) {
        guard let block = graph.node(for: OperationID(job: job, index: index)), graph[block].index < index else {
            return
        }
        split(block, at: index - graph[block].index, isConnected)
    }

    /// Gives one operation of a block a node of its own.
    ///
    /// - Parameter isConnected: whether the block has its conditions already; false while a record is restored or an array is new.
    /// - Returns: the node of the operation alone; the block itself if the block has no other element.
    @discardableResult
    mutating func isolate(_ id: OperationID, in block: NodeIndex, isConnected: Bool = true) -> NodeIndex {
        let offset = id.index - graph[block].index
        if offset + 1 < graph[block].count { split(block, at: offset + 1, isConnected) }
        return offset > 0 ? split(block, at: offset, isConnected) : block
    }

    /// Splits a block in two; the block keeps its first elements.
    ///
    /// A pending skip of the block (``DeferredWork/skips``) applies to the rest, too.
    ///
    /// - Returns: the node of the rest, with the same state and the same conditions.
    @discardableResult
    private mutating func split(_ block: NodeIndex, at offset: UInt32, _ isConnected: Bool) -> NodeIndex {
        let index = graph.splitOff(block, from: offset)
        let rest = graph[index]
        if rest.reservations > 0 {
            requests.shareReservations(of: graph.reference(to: block), with: graph.reference(to: index))
            changes.insert(graph.reference(to: index), behind: graph.reference(to: block))
        }
        if rest.isCancelled { queues[rest.queue].flagged.append(graph.reference(to: index)) }
        if !deferred.skips.isEmpty {
            deferred.shareSkips(of: graph.reference(to: block), with: graph.reference(to: index), offset)
        }
        if !isConnected {
            // All nodes are connected later.
        } else if rest.state == .ready {
            // The request that splits the block does not wait for recalls of lower priorities that the rest causes.
            withoutWaiting { $0.enqueue(index) }
        } else {
            if rest.isHeld { graph[index].hold() }
            if let time = rest.notBefore { postpone(index, until: time) }
            if !graph.fileWaits.isEmpty { shareFileWait(of: block, with: index) }
            connect(index, ends: [:])
        }
        return index
    }

    /// Splits off the first operation of a ready block at the front of its queue's line.
    ///
    /// - Returns: the node of the operation.
    mutating func takeFirst(of block: NodeIndex) -> NodeIndex {
        let index = graph.splitOffFirst(of: block)
        let rest = ReadyEntry(rank: graph[block].rank, node: graph.reference(to: block))
        queues[graph[index].queue].changeLine(for: graph.requirement(of: graph[index])) { line in
            invariant(line.entries.min?.node == rest.node, "A block is divided that is not the first of its line.")
            line.entries.replaceMin(with: rest)
        }
        return index
    }
}
