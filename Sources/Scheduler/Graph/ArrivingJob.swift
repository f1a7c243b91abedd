@_spi(Baton) import BatonOperations

/// A large job whose templates and entries the scheduler takes in turns, and that nobody finds before the last turn.
///
/// A turn changes the job's own nodes alone. What else the job changes, such as the counts of its queues, is gathered here, and
/// takes effect at once when the job is revealed.
struct ArrivingJob: Sendable {
    /// The passes over the templates and the entries, in their order.
    enum Pass: CaseIterable, Sendable {
        /// The requests of the templates are found.
        case requests
        /// Each entry gets its node.
        case nodes
        /// The dependencies of each entry become edges.
        case edges
        /// Each node waits for its dependencies or is ready.
        case states
    }

    /// The hidden job.
    let job: JobIndex
    /// The queues, by their position in the submission.
    let queues: [QueueIndex]
    /// The number of templates of the submission; 0 if none of them asks for anything.
    let templateCount: Int
    /// The number of entries of the submission.
    let entryCount: Int
    /// The age of the first operation; the other operations follow.
    var firstAge: UInt64
    /// The nodes of the entries.
    var nodes: [NodeIndex] = []
    /// The first edge of each node; kept apart until the last pass, because most nodes are too far apart for visits in random order.
    var dependents: [EdgeTable.Index?] = []
    /// The operations of each queue, by their state.
    private(set) var counts: [JobCounts]
    /// The ready nodes by their priorities, lowest first.
    private var ready: [[SlabReference<OperationNode>]]
    /// The ready operations.
    private(set) var readyRuns = ReadyRuns()
    /// The position of the present pass; the number of passes after the last one.
    private var pass = 0
    /// The position of the next template or entry of the pass.
    private var next = 0

    /// Begins before the first turn.
    ///
    /// - Parameter templateCount: the number of templates; 0 if none of them asks for anything.
    init(_ job: JobIndex, queues: [QueueIndex], templateCount: Int, entryCount: Int, firstAge: UInt64) {
        self.job = job
        self.queues = queues
        self.templateCount = templateCount
        self.entryCount = entryCount
        self.firstAge = firstAge
        nodes.reserveCapacity(entryCount)
        counts = Array(repeating: JobCounts(), count: queues.count)
        ready = Array(repeating: [], count: Priority.allCases.count)
    }

    /// Whether each entry has had all its turns.
    var isWhole: Bool { pass == Pass.allCases.count }

    /// The ready nodes, those of the highest priority first.
    var readyNodes: [SlabReference<OperationNode>] {
        var nodes: [SlabReference<OperationNode>] = []
        nodes.reserveCapacity(ready.reduce(0) { $0 + $1.count })
        for ofPriority in ready.reversed() { nodes += ofPriority }
        return nodes
    }

    /// Takes the next templates or entries of the present pass; nil after the last pass.
    mutating func takePositions(atMost number: Int) -> (pass: Pass, positions: Range<Int>)? {
        guard !isWhole else { return nil }
        let present = Pass.allCases[pass]
        let count = present == .requests ? templateCount : entryCount
        let taken = next..<next + min(number, count - next)
        next = taken.upperBound
        if next == count { (pass, next) = (pass + 1, 0) }
        return (present, taken)
    }

    /// Counts the operations of a node.
    ///
    /// - Parameter position: the position of the queue in the submission.
    mutating func count(_ node: OperationNode, inQueueAt position: Int) {
        counts[position].add(Int(node.count), to: node.state)
    }

    /// Adds a ready node behind all earlier ones.
    mutating func addReady(_ node: OperationNode, _ reference: SlabReference<OperationNode>) {
        ready[node.priority.step].append(reference)
        readyRuns.append(node)
    }
}
