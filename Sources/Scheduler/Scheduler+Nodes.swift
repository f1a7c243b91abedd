import BatonOperations

/// Finding, splitting and counting nodes.
extension Scheduler {
    /// The present location of a dependency's target.
    enum Source {
        /// An unfinished operation.
        case node(Int32)
        /// An array of an unfinished job: the job's place, and the array's position in the job.
        case array(job: Int32, Int)
        /// An unfinished job.
        case job(Int32)
        /// A target that is finished and no longer held, or never existed.
        case gone(Address)
    }

    /// Locates the target of a dependency of one of a job's operations.
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

    /// Whether an address refers to an unfinished operation or job, or to an array of an unfinished job.
    ///
    /// Replace the names of single operations first, by ``withoutName(_:)``.
    func isHeld(_ address: Address) -> Bool {
        switch address {
        case .job(let number): jobPlaces[number] != nil
        case .operation(let id): node(for: id) != nil
        case .named(let number, let name): jobPlaces[number].map { jobs[$0].array(named: name) != nil } ?? false
        }
    }

    /// The node of an unfinished operation, or of the block that contains the operation.
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

    /// The number of blocks of an array that start at or before an index.
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

    /// The ID of the operation at a place, or of the first operation of a block.
    func id(at place: Int32) -> OperationID {
        let node = nodes[place]
        return id(of: node)
    }

    /// The ID of a node's operation, or of the first operation of a block.
    func id(of node: OperationNode) -> OperationID {
        OperationID(job: jobs[node.job].number, index: node.index)
    }

    /// Adds a node to the job's lookup by index.
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

    /// Undoes ``register(_:)``; the node's index and count must not have changed since.
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

    /// Splits the block that contains an operation, if any, so that no block extends across the operation's index.
    mutating func separate(_ job: JobNumber, from index: UInt32) {
        guard let block = node(for: OperationID(job: job, index: index)), nodes[block].index < index else { return }
        split(block, at: index - nodes[block].index, true)
    }

    /// Gives one operation of a block a node of its own.
    ///
    /// - Parameter isConnected: whether the block has its conditions already; false while a record is restored.
    /// - Returns: the node of the operation alone; the block itself if the block has no other element.
    @discardableResult
    mutating func isolate(_ id: OperationID, in block: Int32, isConnected: Bool = true) -> Int32 {
        let offset = id.index - nodes[block].index
        if offset + 1 < nodes[block].count { split(block, at: offset + 1, isConnected) }
        return offset > 0 ? split(block, at: offset, isConnected) : block
    }

    /// Splits a block in two; the block keeps its first elements.
    ///
    /// No skip of the block may be pending in ``skips``, because the skip would not apply to the rest.
    ///
    /// - Returns: the node of the rest, with the same state and the same conditions.
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
            // The restore connects all nodes later.
        } else if rest.state == .ready {
            // The request that splits the block does not wait for recalls of lower levels that the rest causes.
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

    /// Splits off the first operation of a ready block at the front of its queue's line.
    ///
    /// - Returns: the node of the operation.
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

    /// Adds to the counts of a node's job and queue, and of the cluster.
    mutating func count(_ node: OperationNode, in state: OperationState, by number: Int) {
        jobs[node.job].counts.add(number, to: state)
        queues[Int(node.queue)].counts.add(number, to: state)
        totals.add(number, to: state)
    }

    /// The type that a worker must run to be sent a node; nil if any worker will do.
    func type(of node: OperationNode) -> String? {
        if jobs[node.job].neededTypes.isEmpty { return nil }
        let template = Int(jobs[node.job].entries[Int(node.entry)].template)
        if distinguishesVersions { return jobs[node.job].neededTypes[template] }
        return jobs[node.job].types.isEmpty ? nil : jobs[node.job].types[template]
    }

    /// Whether a node runs again after the loss of an attempt.
    func restartPolicy(at place: Int32) -> RestartPolicy {
        let node = nodes[place]
        return jobs[node.job].templates[Int(jobs[node.job].entries[Int(node.entry)].template)].restart
    }

    /// Whether the dispatch of an attempt must be on disk before the attempt reaches its worker.
    ///
    /// An early commit is needed in three cases. First, the operation is never restarted. Second, the job itself is not on
    /// disk: if the coordinator lost the job in a crash, the client would submit the job again, and nothing would tell the
    /// two executions apart. Third, an earlier attempt was made or may have been made, or a first attempt was returned
    /// unstarted. Therefore, after a restart, the record can lack only the first dispatches of an operation, and no two
    /// executions share a number (D3).
    func mustBeKept(_ place: Int32) -> Bool {
        let node = nodes[place]
        return !jobs[node.job].isKept || node.attempt > 0 || node.repeatsNumber || restartPolicy(at: place) == .never
    }

    /// The record of the unfinished node at a place.
    ///
    /// The node is copied to a variable before the call, here and in other functions that take a place: if the node were read
    /// in place, the compiler would copy the whole scheduler for the called function.
    func record(at place: Int32) -> OperationRecord {
        let node = nodes[place]
        return record(of: node)
    }

    /// The record of an unfinished node.
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
