@_spi(Baton) import BatonOperations

/// The present location of a dependency's target: the source of an edge.
enum EdgeSource: Hashable {
    /// An unfinished operation.
    case node(NodeIndex)
    /// An array of an unfinished job.
    case array(job: JobIndex, ArrayIndex)
    /// An unfinished job.
    case job(JobIndex)
    /// A target that is finished and no longer in memory, or never existed.
    case gone(Address)
}

/// Lookup of operations, jobs and targets by address.
extension Graph {
    /// Locates the target of a dependency of one of a job's operations.
    func source(of target: Dependency.Target, job: JobIndex) -> EdgeSource {
        switch target {
        case .entry(let entry):
            let live = self[job].entries[entry]
            if let array = live.array { return .array(job: job, array) }
            return live.node.map { .node($0) }
                ?? .gone(.operation(OperationID(job: self[job].number, index: live.first)))
        case .element(let entry, let position):
            let id = OperationID(job: self[job].number, index: self[job].entries[entry].first + position)
            return node(for: id).map { .node($0) } ?? .gone(.operation(id))
        // Of elements that count one by one, the whole array.
        case .elements(let entry):
            return self[job].entries[entry].array.map { .array(job: job, $0) } ?? source(of: .entry(entry), job: job)
        case .existingElements(let address):
            guard case .operations(let number, let range) = address, let other = self.job(number),
                let entry = self[other].entry(ofIndex: range.lowerBound), let array = self[other].entries[entry].array
            else { return .gone(address) }
            return .array(job: other, array)
        case .existing(.job(let number)):
            return self.job(number).map { .job($0) } ?? .gone(.job(number))
        case .existing(.operation(let id)):
            return node(for: id).map { .node($0) } ?? .gone(.operation(id))
        // No dependency is on a range.
        case .existing(.operations(let number, let range)): return .gone(.operations(number, range))
        case .existing(.named(let number, let name)):
            guard let other = self.job(number), let array = self[other].array(named: name) else {
                return .gone(.named(number, name))
            }
            return .array(job: other, array)
        }
    }

    /// Whether an address refers to an unfinished operation or job, or to an array of an unfinished job.
    ///
    /// Replace the names of single operations first, by ``withoutName(_:)``.
    func contains(_ address: Address) -> Bool {
        switch address {
        case .job(let number): job(number) != nil
        case .operation(let id): node(for: id) != nil
        case .operations: false
        case .named(let number, let name): job(number).map { self[$0].array(named: name) != nil } ?? false
        }
    }

    /// Replaces the name of a single operation in an unfinished job by an address with its index; an array keeps its name.
    func withoutName(_ address: Address) -> Address {
        guard case .named(let number, let name) = address, let job = job(number),
            let entry = self[job].entry(named: name), self[job].entries[entry].array == nil
        else { return address }
        return .operation(OperationID(job: number, index: self[job].entries[entry].first))
    }

    /// The node of an unfinished operation, or of the block that contains the operation.
    func node(for id: OperationID) -> NodeIndex? {
        guard let job = job(id.job), let entry = self[job].entry(ofIndex: id.index) else { return nil }
        return node(ofEntry: entry, at: id.index, in: job)
    }

    /// The node of an unfinished operation of an entry, or of the block that contains the operation.
    @inline(__always)
    func node(ofEntry entry: Int, at index: UInt32, in job: JobIndex) -> NodeIndex? {
        let live = self[job].entries[entry]
        guard let array = live.array else { return live.node }
        if let element = self[job].arrays[array.offset].elements[index] { return element }
        let number = blockCount(upTo: index, in: array, of: job)
        guard number > 0 else { return nil }
        let block = self[job].arrays[array.offset].blocks[number - 1]
        return index - self[block].index < self[block].count ? block : nil
    }

    /// The number of blocks of an array that start at or before an index.
    ///
    /// - Complexity: O(log blocks).
    func blockCount(upTo index: UInt32, in array: ArrayIndex, of job: JobIndex) -> Int {
        self[job].arrays[array.offset].blocks.indices.binarySearch { position in
            self[self[job].arrays[array.offset].blocks[position]].index > index
        }
    }

    /// The ID of a node's operation, or of the first operation of a block.
    @inline(__always)
    func id(at index: NodeIndex) -> OperationID {
        OperationID(job: self[self[index].job].number, index: self[index].index)
    }

    /// The ID of a node's operation, or of the first operation of a block.
    @inline(__always)
    func id(of node: OperationNode) -> OperationID {
        OperationID(job: self[node.job].number, index: node.index)
    }

    /// The unfinished nodes of a source.
    func nodes(of source: EdgeSource) -> [NodeIndex] {
        switch source {
        case .node(let node): [node]
        case .array(let job, let array): nodes(of: array, in: job)
        case .job(let job): unfinishedNodes(of: job)
        case .gone: []
        }
    }

    /// The nodes of an array that are not finished, in no order.
    func nodes(of array: ArrayIndex, in job: JobIndex) -> [NodeIndex] {
        self[job].arrays[array.offset].blocks + self[job].arrays[array.offset].elements.values
    }

    /// The unfinished nodes of a job, ordered by index.
    ///
    /// - Complexity: O(entries + nodes log nodes).
    func unfinishedNodes(of job: JobIndex) -> [NodeIndex] {
        // A list for each entry would take longer than all the rest.
        if self[job].arrays.isEmpty { return self[job].entries.compactMap { $0.node } }
        return self[job].entries.indices.flatMap { unfinishedNodes(of: job, inEntry: $0) }
    }

    /// The first unfinished nodes of a job, at most some number, ordered by index.
    ///
    /// Of an array with more nodes than are left of the number, these are any nodes, those of several elements first.
    ///
    /// - Complexity: O(entries + limit log limit).
    func unfinishedNodes(of job: JobIndex, limit: Int) -> [NodeIndex] {
        var result: [NodeIndex] = []
        for entry in self[job].entries {
            let room = limit - result.count
            if room == 0 { break }
            if let array = entry.array {
                var members = Array(self[job].arrays[array.offset].blocks.prefix(room))
                members += self[job].arrays[array.offset].elements.values.prefix(room - members.count)
                result += members.sorted { self[$0].index < self[$1].index }
            } else if let node = entry.node {
                result.append(node)
            }
        }
        return result
    }

    /// The unfinished nodes of an entry of a job, ordered by index.
    func unfinishedNodes(of job: JobIndex, inEntry entry: Int) -> [NodeIndex] {
        let entry = self[job].entries[entry]
        guard let array = entry.array else { return entry.node.map { [$0] } ?? [] }
        return nodes(of: array, in: job).sorted { self[$0].index < self[$1].index }
    }

    /// The unfinished nodes of a queue, in the order of their addition (QU7).
    ///
    /// - Complexity: O(unfinished nodes).
    func unfinishedNodes(ofQueue queue: QueueIndex) -> [NodeIndex] {
        let jobs = jobsByAge
        let nodes = jobs.flatMap { unfinishedNodes(of: $0) }.filter { self[$0].queue == queue }
        // What was added to a job may be younger than later jobs.
        guard jobs.contains(where: { self[$0].growth != nil }) else { return nodes }
        return nodes.sorted { self[$0].sequence < self[$1].sequence }
    }
}
