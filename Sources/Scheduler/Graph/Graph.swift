@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The index of an unfinished operation, or of a block of array elements.
typealias NodeIndex = SlabIndex<OperationNode>
/// The index of an unfinished job.
typealias JobIndex = SlabIndex<LiveJob>

/// The dependency graph: the unfinished jobs, their operations, and the edges between them.
///
/// The graph owns the addresses of operations and jobs, the edges from dependencies to dependents, the progress of arrays and
/// jobs as targets of dependencies, and the ages of operations. The graph knows no queues, workers or times, and decides
/// nothing about the state of an operation.
struct Graph: Sendable {
    private var nodes = Slab<OperationNode>()
    private var edges = EdgeTable()
    private var jobs = Slab<LiveJob>()
    private var jobIndexes: [JobNumber: JobIndex] = [:]
    /// The jobs that nobody finds before their last operation has its node; see ``ArrivingJob``.
    private var hiddenJobs: Set<JobIndex> = []
    /// The finished jobs that nobody finds any more, whose operations that ran again have attempts at workers yet.
    private(set) var endingJobs: Set<JobIndex> = []
    /// The keys of the unfinished jobs and of the additions to them.
    var keys = KeyedJobs()
    private var removedJobs = RemovedJobs()
    /// What the operations of the unfinished jobs ask of their workers.
    private(set) var requests = RequestTable()
    /// The age of the next operation, and the number of the next change of a priority.
    private(set) var nextSequence: UInt64 = 1
    /// The counts of all operations of the record, including finished jobs.
    var totals = JobCounts()
    /// The number of unfinished jobs with an array that has a limit.
    private(set) var limitedJobs = 0
    /// Whether a worker has joined that does not know all options, so that versions of the option set count as types.
    var distinguishesVersions = false {
        didSet { updateRequirements() }
    }
    /// Whether a worker with a time limit has joined, so that declared times play a part.
    var distinguishesTimes = false {
        didSet { updateRequirements() }
    }
    /// For nodes with several failure dependencies, the known outcomes of the dependencies.
    var failureConditions: [NodeIndex: FailureConditions] = [:]
    /// The arrays of unfinished jobs on whose elements other arrays depend one by one; empty for nearly all clusters.
    var elementTable = ElementTable()
    /// The progress that running operations have reported.
    var progress: [NodeIndex: OperationProgress] = [:]
    /// The executing nodes whose processes stand still.
    var pauses: [NodeIndex: PauseRecord] = [:]
    /// The nodes that wait for files whose last copies are gone.
    var fileWaits = FileWaits()
    /// The finished operations that run again because their files were lost, by ID; only these have a node that is not found by the
    /// operation's address.
    var reruns: [OperationID: Rerun] = [:]

    // MARK: - Operations

    /// A node at an index in use.
    subscript(index: NodeIndex) -> OperationNode {
        @inline(__always) get { nodes[index] }
        @inline(__always) _modify { yield &nodes[index] }
    }

    /// The indexes of all nodes but those of hidden jobs.
    var nodeIndexes: some Sequence<NodeIndex> {
        nodes.indexes.lazy.filter { [nodes, hiddenJobs] index in
            hiddenJobs.isEmpty || !hiddenJobs.contains(nodes[index].job)
        }
    }

    /// The number of nodes, those of hidden jobs included.
    var nodeCount: Int { nodes.count }

    /// A reference to a node, which no longer resolves once the node is removed.
    func reference(to index: NodeIndex) -> SlabReference<OperationNode> { nodes.reference(to: index) }

    /// The index of a referenced node; nil if the node was removed.
    @inline(__always)
    func resolve(_ reference: SlabReference<OperationNode>) -> NodeIndex? { nodes.resolve(reference) }

    /// Reserves space for the nodes and edges of a new job.
    mutating func makeRoom(forNodes nodeNumber: Int, edges edgeNumber: Int) {
        nodes.makeRoom(for: nodeNumber)
        edges.makeRoom(for: edgeNumber)
    }

    /// Adds a node, whose elements get the next ages.
    mutating func insert(_ node: OperationNode) -> NodeIndex {
        invariant(node.sequence == nextSequence, "An operation is added with another age than the next one.")
        let index = nodes.insert(node)
        nextSequence += UInt64(node.count)
        register(index)
        return index
    }

    /// Adds a node of a hidden job, whose elements have ages that were taken out of the sequence.
    mutating func insertHidden(_ node: OperationNode) -> NodeIndex {
        invariant(hiddenJobs.contains(node.job), "An operation is hidden, and its job is not.")
        let index = nodes.insert(node)
        register(index)
        return index
    }

    /// Adds a node for another attempt of a finished operation, whose age and address are those of the operation.
    mutating func insertRerun(_ node: OperationNode, of id: OperationID) -> NodeIndex {
        invariant(reruns[id] == nil, "An operation runs again twice at once.")
        let index = nodes.insert(node)
        reruns[id] = Rerun(place: index)
        return index
    }

    /// Removes the node of a rerun.
    mutating func removeRerun(_ index: NodeIndex) {
        let removed = reruns.removeValue(forKey: id(at: index))
        invariant(removed?.place == index, "A rerun is removed that is none.")
        let job = nodes[index].job
        nodes.remove(at: index)
        guard endingJobs.contains(job), !hasReruns(job) else { return }
        endingJobs.remove(job)
        removeRest(of: job)
    }

    /// Whether an operation of a job runs again.
    private func hasReruns(_ job: JobIndex) -> Bool { reruns.values.contains { nodes[$0.place].job == job } }

    /// Whether a node is that of a rerun whose job has finished.
    @inline(__always) func isEnding(_ node: OperationNode) -> Bool {
        !endingJobs.isEmpty && endingJobs.contains(node.job)
    }

    /// Removes a node from the graph and from the lookup by address; the node's edges stay until they are removed.
    mutating func remove(_ index: NodeIndex) {
        unregister(index)
        if !failureConditions.isEmpty { failureConditions[index] = nil }
        nodes.remove(at: index)
    }

    /// Takes consecutive ages or order numbers out of the sequence.
    ///
    /// - Returns: the first number taken.
    mutating func takeSequence(_ number: UInt64) -> UInt64 {
        defer { nextSequence += number }
        return nextSequence
    }

    /// Raises the next age to at least a number, for a record whose ages go on from there.
    mutating func raiseSequence(to number: UInt64) {
        nextSequence = max(nextSequence, number)
    }

    /// Splits a block in two; the block keeps its first elements.
    ///
    /// - Returns: the rest; see ``OperationNode/splitOff(from:)``.
    mutating func splitOff(_ block: NodeIndex, from offset: UInt32) -> NodeIndex {
        unregister(block)
        let rest = nodes[block].splitOff(from: offset)
        register(block)
        let index = nodes.insert(rest)
        register(index)
        shareFailureConditions(of: block, with: index)
        return index
    }

    /// Splits off the first element of a block, as a node of its own.
    mutating func splitOffFirst(of block: NodeIndex) -> NodeIndex {
        if nodes[block].count == 2 { unregister(block) }
        let first = nodes[block].splitOffFirst()
        if nodes[block].count == 1 { register(block) }
        let index = nodes.insert(first)
        register(index)
        shareFailureConditions(of: block, with: index)
        return index
    }

    /// Joins two neighbouring nodes of an array in the same state; the first one has the operations of both then.
    mutating func join(_ second: NodeIndex, to first: NodeIndex) {
        let added = nodes[second].count
        let end = nodes[first].index + nodes[first].count
        invariant(end == nodes[second].index, "Two nodes are joined that are no neighbours.")
        unregister(second)
        unregister(first)
        nodes[first].append(added)
        register(first)
        nodes.remove(at: second)
    }

    /// Adds a node to the job's lookup by index.
    private mutating func register(_ index: NodeIndex) {
        let node = nodes[index]
        guard let array = jobs[node.job].entries[Int(node.entry)].array else {
            invariant(jobs[node.job].entries[Int(node.entry)].node == nil, "An operation gets a second node.")
            jobs[node.job].entries[Int(node.entry)].node = index
            return
        }
        if node.count == 1 {
            let earlier = jobs[node.job].arrays[array.offset].elements.updateValue(index, forKey: node.index)
            invariant(earlier == nil, "An element of an array gets a second node.")
        } else {
            let position = blockCount(upTo: node.index, in: array, of: node.job)
            jobs[node.job].arrays[array.offset].blocks.insert(index, at: position)
        }
    }

    /// Undoes ``register(_:)``; the node's index and count must not have changed since.
    private mutating func unregister(_ index: NodeIndex) {
        let node = nodes[index]
        guard let array = jobs[node.job].entries[Int(node.entry)].array else {
            invariant(jobs[node.job].entries[Int(node.entry)].node == index, "An operation has another node.")
            jobs[node.job].entries[Int(node.entry)].node = nil
            return
        }
        if node.count == 1 {
            let removed = jobs[node.job].arrays[array.offset].elements.removeValue(forKey: node.index)
            invariant(removed == index, "An element of an array has another node.")
        } else {
            let position = blockCount(upTo: node.index, in: array, of: node.job) - 1
            let removed = jobs[node.job].arrays[array.offset].blocks.remove(at: position)
            invariant(removed == index, "A block of an array has another node.")
        }
    }

    // MARK: - Edges

    /// Makes a node wait for a target; a target that is gone adds no edge.
    mutating func addEdge(from target: EdgeSource, to dependent: NodeIndex, _ condition: DependencyCondition) {
        let reference = nodes.reference(to: dependent)
        switch target {
        case .gone:
            return
        case .node(let other):
            edges.add(reference, condition: condition, to: &nodes[other].dependents)
        case .array(let job, let array):
            edges.add(reference, condition: condition, to: &jobs[job].arrays[array.offset].join.dependents)
        case .job(let job):
            edges.add(reference, condition: condition, to: &jobs[job].join.dependents)
        }
        nodes[dependent].addCondition()
    }

    /// Makes a node wait for another node of the same new job, whose list of edges the caller keeps apart.
    ///
    /// - Parameter head: the first edge of the other node's list; becomes the new edge.
    mutating func addEdge(
        to dependent: NodeIndex,
        _ condition: DependencyCondition,
        in head: inout EdgeTable.Index?
    ) {
        edges.add(nodes.reference(to: dependent), condition: condition, to: &head)
        nodes[dependent].addCondition()
    }

    /// Removes a node from the dependents of a target; the node no longer waits for the target.
    mutating func removeEdge(to dependent: NodeIndex, _ condition: DependencyCondition, from target: EdgeSource) {
        let reference = nodes.reference(to: dependent)
        let isRemoved: Bool
        switch target {
        case .gone:
            return
        case .node(let other):
            isRemoved = edges.remove(reference, condition: condition, from: &nodes[other].dependents)
        case .array(let job, let array):
            isRemoved = edges.remove(
                reference,
                condition: condition,
                from: &jobs[job].arrays[array.offset].join.dependents
            )
        case .job(let job):
            isRemoved = edges.remove(reference, condition: condition, from: &jobs[job].join.dependents)
        }
        if isRemoved { nodes[dependent].removeCondition() }
    }

    /// Removes the first edge of a list.
    mutating func removeFirstEdge(from head: inout EdgeTable.Index?) -> DependencyEdge? {
        edges.removeFirst(from: &head)
    }

    /// The edges of a list; the list stays unchanged.
    func edges(from head: EdgeTable.Index?) -> some Sequence<DependencyEdge> { edges.list(from: head) }

    /// The number of edges.
    var edgeCount: Int { edges.count }

    // MARK: - Jobs

    /// A job at an index in use.
    subscript(index: JobIndex) -> LiveJob {
        @inline(__always) get { jobs[index] }
        @inline(__always) _modify { yield &jobs[index] }
    }

    /// A reference to a job, which no longer resolves once the job is removed.
    func reference(to index: JobIndex) -> SlabReference<LiveJob> { jobs.reference(to: index) }

    /// The index of a referenced job; nil if the job was removed.
    func resolve(_ reference: SlabReference<LiveJob>) -> JobIndex? { jobs.resolve(reference) }

    /// The index of an unfinished job with a number.
    func job(_ number: JobNumber) -> JobIndex? { jobIndexes[number] }

    /// The indexes of the unfinished jobs, oldest first.
    ///
    /// - Complexity: O(jobs log jobs).
    var jobsByAge: [JobIndex] { jobIndexes.sorted { $0.key < $1.key }.map(\.value) }

    /// The number of unfinished jobs but for hidden ones.
    var jobCount: Int { jobs.count - hiddenJobs.count - endingJobs.count }

    /// The number of hidden jobs.
    var hiddenJobCount: Int { hiddenJobs.count }

    /// Adds a job without nodes.
    ///
    /// - Parameter needs: what the operations of the job's templates need of their workers.
    mutating func insert(_ record: JobRecord, _ needs: TemplateNeeds) -> JobIndex {
        let index = jobs.insert(
            LiveJob(
                record,
                needs,
                requests: needs.haveRequests ? requests.intern(requestsOf: record.submission.templates) : [],
                distinguishesVersions: distinguishesVersions,
                distinguishesTimes: distinguishesTimes
            )
        )
        invariant(jobIndexes[record.number] == nil, "Two jobs have the same number.")
        jobIndexes[record.number] = index
        if jobs[index].hasArrayLimits { limitedJobs += 1 }
        return index
    }

    /// Adds operations to a job, without nodes.
    ///
    /// - Parameter needs: what the operations of the added templates need of their workers.
    mutating func append(_ addition: JobAddition, _ needs: TemplateNeeds, to job: JobIndex) {
        let wasLimited = jobs[job].hasArrayLimits
        jobs[job].append(
            addition,
            needs,
            requests: needs.haveRequests ? requests.intern(requestsOf: addition.submission.templates) : [],
            distinguishesVersions: distinguishesVersions,
            distinguishesTimes: distinguishesTimes
        )
        if jobs[job].hasArrayLimits, !wasLimited { limitedJobs += 1 }
        if let key = addition.submission.key { noteKey(ofAddition: key, to: job) }
    }

    /// Adds a job without entries and nodes that nobody finds before ``reveal(_:)``.
    ///
    /// The requests of its templates are noted later; see ``noteRequests(of:_:for:)``.
    ///
    /// - Parameter needs: what the operations of the job's templates need of their workers.
    mutating func insertHidden(_ record: JobRecord, _ needs: TemplateNeeds) -> JobIndex {
        let index = jobs.insert(
            LiveJob(
                record,
                needs,
                requests: needs.haveRequests
                    ? Array(repeating: nil, count: record.submission.templates.count) : [],
                distinguishesVersions: distinguishesVersions,
                distinguishesTimes: distinguishesTimes,
                takesEntries: false
            )
        )
        hiddenJobs.insert(index)
        return index
    }

    /// Notes what some templates of a hidden job ask of their workers.
    mutating func noteRequests(of templates: [Template], _ range: Range<Int>, for index: JobIndex) {
        for position in range where templates[position].hasRequest {
            let request = requests.intern(templates[position].request)
            jobs[index].noteRequest(
                request,
                ofTemplate: position,
                distinguishesVersions: distinguishesVersions,
                distinguishesTimes: distinguishesTimes
            )
        }
    }

    /// Lets a hidden job be found.
    mutating func reveal(_ index: JobIndex) {
        let removed = hiddenJobs.remove(index)
        invariant(removed != nil, "A job is revealed that is not hidden.")
        invariant(jobIndexes[jobs[index].number] == nil, "Two jobs have the same number.")
        jobIndexes[jobs[index].number] = index
        if jobs[index].hasArrayLimits { limitedJobs += 1 }
    }

    /// Removes a hidden job.
    ///
    /// - Parameters:
    ///   - places: all nodes of the job.
    ///   - dependents: the first edge of each node that has one.
    mutating func removeHidden(_ index: JobIndex, _ places: [NodeIndex], _ dependents: [EdgeTable.Index?]) {
        let removed = hiddenJobs.remove(index)
        invariant(removed != nil, "A job is removed as a hidden one, and is not hidden.")
        for first in dependents + jobs[index].arrays.map(\.join.dependents) {
            var first = first
            while edges.removeFirst(from: &first) != nil {}
        }
        for place in places { nodes.remove(at: place) }
        if !requests.isEmpty { requests.release(jobs[index].requests) }
        removedJobs.append(jobs[index])
        jobs.remove(at: index)
    }

    private mutating func updateRequirements() {
        for index in jobs.indexes {
            jobs[index].updateRequirements(
                distinguishesVersions: distinguishesVersions,
                distinguishesTimes: distinguishesTimes
            )
        }
    }

    /// Notes what the next attempt of an operation may use, in place of what earlier ones might.
    ///
    /// - Parameter template: the template of the operation.
    mutating func setLimits(
        _ limits: AttemptLimits,
        ofOperation index: UInt32,
        in job: JobIndex,
        _ template: Template
    ) {
        let earlier = jobs[job].grownLimits[index]?.request
        var request: RequestIndex?
        if let memory = limits.memory {
            var asked = template.request
            asked.memory = memory
            request = requests.intern(asked)
        }
        jobs[job].grownLimits[index] = GrownLimits(limits: limits, request: request)
        requests.release([earlier])
    }

    /// Removes a finished job, and its key; what its reruns need stays until they have left their workers.
    mutating func remove(_ index: JobIndex) {
        invariant(jobs[index].counts.unfinished == 0, "A job with unfinished operations is removed.")
        invariant(jobs[index].join.unfinished == 0, "A job is removed that others still wait for.")
        invariant(jobIndexes[jobs[index].number] == index, "A removed job is not found by its number.")
        let number = jobs[index].number
        if let key = jobs[index].key { keys.remove(key, of: number) }
        if let additions = jobs[index].growth?.additions {
            for key in additions.keys { keys.remove(key, of: number) }
        }
        if !elementTable.isEmpty { elementTable.remove(index) }
        jobIndexes[jobs[index].number] = nil
        if !reruns.isEmpty, hasReruns(index) { endingJobs.insert(index) } else { removeRest(of: index) }
    }

    /// Removes what is left of a job that nobody finds any more.
    private mutating func removeRest(of index: JobIndex) {
        if jobs[index].hasArrayLimits { limitedJobs -= 1 }
        invariant(limitedJobs >= 0, "Fewer than no jobs have limited arrays.")
        if !requests.isEmpty {
            requests.release(jobs[index].requests)
            requests.release(jobs[index].grownLimits.values.map(\.request))
        }
        removedJobs.append(jobs[index])
        jobs.remove(at: index)
    }

    /// Takes the large jobs that were removed since the last call; nil for none.
    mutating func takeRemovedJobs() -> RemovedJobs? {
        guard !removedJobs.isEmpty else { return nil }
        defer { removedJobs = RemovedJobs() }
        return removedJobs
    }
}
