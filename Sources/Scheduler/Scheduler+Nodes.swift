import BatonOperations

/// Finding, splitting and counting nodes.
extension Scheduler {
    /// Where a dependency is to be found.
    enum Source {
        /// An unfinished operation.
        case node(Int32)
        /// An array of an unfinished job: the job's place, and the array's position there.
        case array(job: Int32, Int)
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
            if live.array >= 0 { return .array(job: job, Int(live.array)) }
            return live.node >= 0
                ? .node(live.node) : .gone(.operation(OperationID(job: jobs[job].number, index: live.first)))
        case .existing(.job(let number)):
            return jobPlaces[number].map { .job($0) } ?? .gone(.job(number))
        case .existing(.operation(let id)):
            return node(for: id).map { .node($0) } ?? .gone(.operation(id))
        case .existing(.named(let number, let name)):
            guard let other = jobPlaces[number], let array = jobs[other].array(named: name) else {
                return .gone(.named(number, name))
            }
            return .array(job: other, array)
        }
    }

    /// Whether an address means something unfinished, or an array of an unfinished job; the names of single operations have to
    /// be replaced before.
    func isHeld(_ address: Address) -> Bool {
        switch address {
        case .job(let number): jobPlaces[number] != nil
        case .operation(let id): node(for: id) != nil
        case .named(let number, let name): jobPlaces[number].map { jobs[$0].array(named: name) != nil } ?? false
        }
    }

    /// The node that an unfinished operation is, or is in.
    func node(for id: OperationID) -> Int32? {
        guard let job = jobPlaces[id.job], let entry = jobs[job].entry(ofIndex: id.index) else { return nil }
        let live = jobs[job].entries[entry]
        guard live.array >= 0 else { return live.node >= 0 ? live.node : nil }
        let array = Int(live.array)
        if let element = jobs[job].arrays[array].elements[id.index] { return element }
        let number = blockCount(upTo: id.index, inArray: array, of: job)
        guard number > 0 else { return nil }
        let block = jobs[job].arrays[array].blocks[number - 1]
        return id.index - nodes[block].index < nodes[block].count ? block : nil
    }

    /// How many blocks of an array start at an index or before it.
    ///
    /// - Complexity: O(log blocks).
    private func blockCount(upTo index: UInt32, inArray array: Int, of job: Int32) -> Int {
        var low = 0
        var high = jobs[job].arrays[array].blocks.count
        while low < high {
            let middle = (low + high) / 2
            if nodes[jobs[job].arrays[array].blocks[middle]].index <= index { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The address of the operation at a place, or of the first of its block.
    func id(at place: Int32) -> OperationID {
        let node = nodes[place]
        return id(of: node)
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
            let position = blockCount(upTo: node.index, inArray: array, of: node.job)
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
            let position = blockCount(upTo: node.index, inArray: array, of: node.job) - 1
            jobs[node.job].arrays[array].blocks.remove(at: position)
        }
    }

    /// Cuts the block that an operation is in, where there is one, so that no block reaches over its index.
    mutating func separate(_ job: JobNumber, from index: UInt32) {
        guard let block = node(for: OperationID(job: job, index: index)), nodes[block].index < index else { return }
        split(block, at: index - nodes[block].index, true)
    }

    /// Gives one operation of a block a node of its own.
    ///
    /// - Parameter isConnected: whether the block has its conditions already; false while a record is restored.
    /// - Returns: the node that stands for the operation alone; the block itself where it has no other element.
    @discardableResult
    mutating func isolate(_ id: OperationID, in block: Int32, isConnected: Bool = true) -> Int32 {
        let offset = id.index - nodes[block].index
        if offset + 1 < nodes[block].count { split(block, at: offset + 1, isConnected) }
        return offset > 0 ? split(block, at: offset, isConnected) : block
    }

    /// Cuts a block in two; the block keeps its first elements.
    ///
    /// No skip of the block may be outstanding in ``skips``: the rest would not have part in it.
    ///
    /// - Returns: the node of the rest, which has the same state and the same conditions.
    @discardableResult
    private mutating func split(_ block: Int32, at offset: UInt32, _ isConnected: Bool) -> Int32 {
        var rest = nodes[block]
        rest.index += offset
        rest.count -= offset
        rest.sequence += UInt64(offset)
        rest.order += UInt64(offset)
        rest.dependents = -1
        rest.waiting = 0
        rest.isInLine = false
        rest.isParked = false
        unregister(block)
        nodes[block].count = offset
        register(block)
        let place = nodes.insert(rest)
        register(place)
        shareFailureConditions(of: block, with: place)
        if rest.reservations > 0 { shareReservations(of: block, with: place) }
        if rest.isCancelled { queues[Int(rest.queue)].flagged.append(nodes.reference(to: place)) }
        if !isConnected {
            // Whoever restores connects all nodes later.
        } else if rest.state == .ready {
            // What the whole has asked back of lower ones is no matter of the request that cuts it.
            let asked = recalls
            putInLine(place)
            recalls = asked
        } else {
            if rest.isHeld { nodes[place].waiting += 1 }
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
        first.isInLine = false
        if nodes[block].count == 2 { unregister(block) }
        nodes[block].index += 1
        nodes[block].count -= 1
        nodes[block].sequence += 1
        nodes[block].order += 1
        if nodes[block].count == 1 { register(block) }
        let place = nodes.insert(first)
        register(place)
        shareFailureConditions(of: block, with: place)
        let rest = ReadyEntry(rank: nodes[block].rank, node: nodes.reference(to: block))
        queues[Int(first.queue)].changeLine(of: type(of: first)) { $0.entries.replaceMin(with: rest) }
        return place
    }

    /// Adds to the counts of a node's job, its queue and the cluster.
    mutating func count(_ node: OperationNode, in state: OperationState, by number: Int) {
        jobs[node.job].counts.add(number, to: state)
        queues[Int(node.queue)].counts.add(number, to: state)
        totals.add(number, to: state)
    }

    /// The type that a worker must run in order to be sent a node; nil where every worker will do.
    func type(of node: OperationNode) -> String? {
        jobs[node.job].types.isEmpty
            ? nil : jobs[node.job].types[Int(jobs[node.job].entries[Int(node.entry)].template)]
    }

    /// Whether a node runs again where an attempt of it is lost.
    func restartPolicy(at place: Int32) -> RestartPolicy {
        let node = nodes[place]
        return jobs[node.job].templates[Int(jobs[node.job].entries[Int(node.entry)].template)].restart
    }

    /// Whether an attempt may reach its worker only once that is on disk.
    ///
    /// That is where there is to be no other one, and where the whole job is not there yet: were such a job lost with the
    /// coordinator, its client would ask again and all of it run again, with nothing to tell the two apart. It is so, too,
    /// where another attempt was made or may have been, or a first one was given back unstarted: after a restart, only the first
    /// dispatches of an operation can be missing in the record, and no two executions share a number (D3).
    func mustBeKept(_ place: Int32) -> Bool {
        let node = nodes[place]
        return !jobs[node.job].isKept || node.attempt > 0 || node.repeatsNumber || restartPolicy(at: place) == .never
    }

    /// What the record has to say of the unfinished node at a place.
    ///
    /// A node is taken out before it is handed on, here and in others that take a place: while one is read in place, the
    /// compiler copies the whole scheduler for whoever is called.
    func record(at place: Int32) -> OperationRecord {
        let node = nodes[place]
        return record(of: node)
    }

    /// What the record has to say of an unfinished node.
    func record(of node: OperationNode) -> OperationRecord {
        var record = OperationRecord(id: id(of: node), count: node.count, state: node.state)
        record.isCancelled = node.isCancelled
        record.attempt = node.attempt
        record.losses = node.losses
        record.failures = node.failures
        record.token = node.token
        record.worker = node.worker >= 0 ? workers[node.worker].introduction.name : nil
        record.readyAt = node.readyAt
        record.startedAt = node.startedAt
        record.notBefore = node.notBefore
        record.isHeld = node.isHeld
        if node.order != node.sequence {
            record.level = OperationRecord.Level(priority: node.priority, order: node.order)
        }
        return record
    }
}
