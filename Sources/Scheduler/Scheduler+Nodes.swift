import Operations

/// Finding, splitting and counting nodes.
extension Scheduler {
    /// Where a dependency is to be found.
    enum Source {
        /// An unfinished operation.
        case node(Int32)
        /// An array of the same job.
        case array(Int)
        /// An unfinished job.
        case job(Int32)
        /// It is finished and not held any more, or was never there.
        case gone(Address)
    }

    /// Finds what a dependency of one of a job's operations means now.
    func source(of target: Dependency.Target, job: Int32) -> Source {
        switch target {
        case .entry(let entry):
            let live = jobs[job].entries[entry]
            if live.array >= 0 { return .array(Int(live.array)) }
            return live.node >= 0
                ? .node(live.node) : .gone(.operation(OperationID(job: jobs[job].number, index: live.first)))
        case .existing(.job(let number)):
            return jobPlaces[number].map { .job($0) } ?? .gone(.job(number))
        case .existing(.operation(let id)):
            return node(for: id).map { .node($0) } ?? .gone(.operation(id))
        case .existing(let address):
            return .gone(address)
        }
    }

    /// Whether an address means something unfinished.
    func isHeld(_ address: Address) -> Bool {
        switch address {
        case .job(let number): jobPlaces[number] != nil
        case .operation(let id): node(for: id) != nil
        case .named(let number, let name):
            jobPlaces[number].flatMap { place in
                jobs[place].entry(named: name).map {
                    jobs[place].entries[$0].node >= 0 || jobs[place].entries[$0].array >= 0
                }
            } ?? false
        }
    }

    /// The node that an unfinished operation is, or is in.
    func node(for id: OperationID) -> Int32? {
        guard let job = jobPlaces[id.job], let entry = jobs[job].entry(ofIndex: id.index) else { return nil }
        let live = jobs[job].entries[entry]
        guard live.array >= 0 else { return live.node >= 0 ? live.node : nil }
        let array = jobs[job].arrays[Int(live.array)]
        return array.elements[id.index]
            ?? array.blocks.first { nodes[$0].index <= id.index && id.index - nodes[$0].index < nodes[$0].count }
    }

    /// The address of a node's operation, or of the first of its block.
    func id(of node: OperationNode) -> OperationID {
        OperationID(job: jobs[node.job].number, index: node.index)
    }

    /// Lets the job find a node by its index.
    mutating func register(_ place: Int32) {
        let node = nodes[place]
        let array = Int(jobs[node.job].entries[Int(node.entry)].array)
        if array < 0 {
            jobs[node.job].entries[Int(node.entry)].node = place
        } else if node.count == 1 {
            jobs[node.job].arrays[array].elements[node.index] = place
        } else {
            let blocks = jobs[node.job].arrays[array].blocks
            let position = blocks.firstIndex { nodes[$0].index > node.index } ?? blocks.count
            jobs[node.job].arrays[array].blocks.insert(place, at: position)
        }
    }

    /// Undoes ``register(_:)``; the node's index and count must be those of then.
    mutating func unregister(_ place: Int32) {
        let node = nodes[place]
        let array = Int(jobs[node.job].entries[Int(node.entry)].array)
        if array < 0 {
            jobs[node.job].entries[Int(node.entry)].node = -1
        } else if node.count == 1 {
            jobs[node.job].arrays[array].elements[node.index] = nil
        } else {
            jobs[node.job].arrays[array].blocks.removeAll { $0 == place }
        }
    }

    /// Gives one operation of a block a node of its own.
    ///
    /// - Returns: the node that stands for the operation alone; the block itself where it has no other element.
    mutating func isolate(_ id: OperationID, in block: Int32) -> Int32 {
        let offset = id.index - nodes[block].index
        if offset + 1 < nodes[block].count { _ = split(block, at: offset + 1) }
        return offset > 0 ? split(block, at: offset) : block
    }

    /// Cuts a block in two; the block keeps its first elements.
    ///
    /// - Returns: the node of the rest, which has the same state and the same conditions.
    private mutating func split(_ block: Int32, at offset: UInt32) -> Int32 {
        var rest = nodes[block]
        rest.index += offset
        rest.count -= offset
        rest.sequence += UInt64(offset)
        rest.dependents = -1
        rest.waiting = 0
        unregister(block)
        nodes[block].count = offset
        register(block)
        let place = nodes.insert(rest)
        register(place)
        if rest.state == .ready {
            putInLine(place)
        } else {
            if let time = rest.notBefore { postpone(place, until: time) }
            connect(place, settled: [:])
        }
        return place
    }

    /// Takes the first operation of a ready block that is first in its queue's line.
    ///
    /// - Returns: the node of that operation.
    mutating func takeFirst(of block: Int32) -> Int32 {
        var first = nodes[block]
        first.count = 1
        first.dependents = -1
        if nodes[block].count == 2 { unregister(block) }
        nodes[block].index += 1
        nodes[block].count -= 1
        nodes[block].sequence += 1
        if nodes[block].count == 1 { register(block) }
        let place = nodes.insert(first)
        register(place)
        queues[Int(first.queue)].line.replaceMin(
            with: ReadyEntry(rank: nodes[block].rank, node: nodes.reference(to: block))
        )
        return place
    }

    /// Adds to the counts of a node's job, its queue and the cluster.
    mutating func count(_ node: OperationNode, in state: OperationState, by number: Int) {
        jobs[node.job].counts.add(number, to: state)
        queues[Int(node.queue)].counts.add(number, to: state)
        totals.add(number, to: state)
    }

    /// What the record has to say of an unfinished node.
    func record(of node: OperationNode) -> OperationRecord {
        var record = OperationRecord(id: id(of: node), count: node.count, state: node.state)
        record.isCancelled = node.isCancelled
        record.attempt = node.attempt
        record.losses = node.losses
        record.token = node.token
        record.worker = node.worker >= 0 ? workers[node.worker].introduction.name : nil
        record.readyAt = node.readyAt
        record.startedAt = node.startedAt
        record.notBefore = node.notBefore
        return record
    }
}

extension JobCounts {
    /// Adds to the count of an unfinished state.
    fileprivate mutating func add(_ number: Int, to state: OperationState) {
        switch state {
        case .pending: pending += number
        case .ready: ready += number
        case .executing: executing += number
        case .finished: break
        }
    }
}
