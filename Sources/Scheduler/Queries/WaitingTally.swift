@_spi(Baton) import BatonOperations

/// Counts the operations of a job that do not execute, by what decides for what they wait.
struct WaitingTally {
    /// What operations that wait for the same thing have in common.
    struct Category: Hashable {
        /// How far operations are on their way to a worker.
        enum Stage: Hashable {
            /// Cancelled in a suspended queue.
            case cancelled
            /// At a worker that has not started them.
            case sent(isRecalled: Bool, isAway: Bool)
            /// At a worker that fetches files for them first.
            case fetching
            /// Held by a user.
            case held
            /// Behind a dependency; `for` is the job of the dependency, nil for the operation's own job.
            case waiting(for: JobNumber?)
            /// Until files are made again whose last copies are gone.
            case lackingFiles
            /// Until their worker has room for their files, or their next time to try.
            case lackingRoom
            /// Before their time.
            case delayed(isRetry: Bool)
            /// Without a condition that is known.
            case unhindered
            /// Free to start.
            case ready
        }

        /// The stage.
        var stage = Stage.unhindered
        /// The queue.
        var queue: QueueIndex
        /// The position among the queue's segments; nil for ready operations that no barrier concerns.
        var segment: Int?
        /// Whether the operations are barriers.
        var isBarrier = false
        /// The array that has reached its limit.
        var array: ArrayIndex?
        /// Whether the last place of the queue is kept for an operation that comes first.
        var isBehindKeptPlace = false
        /// What a worker has to offer.
        var requirement: Requirement?

        /// A category of a queue.
        init(queue: QueueIndex) { self.queue = queue }
    }

    /// What operations of a node wait for first.
    struct FirstDependency {
        /// What the first of the operations waits for: an operation, an array or a job.
        let address: Address
        /// Whether the other operations of the node wait for that, too, and not each for an element of its own (EL1).
        let isShared: Bool
    }

    /// The operations of a category.
    struct Part {
        /// The category.
        let category: Category
        /// The node of the first operation.
        let first: NodeIndex
        /// The number of operations.
        var count = 0
        /// What the first operation depends on.
        let dependency: Address?
        /// Whether the other operations depend on that, too.
        var isOnlyDependency: Bool
        /// When the first operation may start that waits for a time.
        var from: Timestamp?
        /// The place in the order in which the parts were met.
        fileprivate let place: Int

        /// The order of parts: by descending count, then by the place of the first node.
        static func isBefore(_ left: Part, _ right: Part) -> Bool {
            (right.count, left.place) < (left.count, right.place)
        }
    }

    /// The number of dependencies that may yet be looked at.
    var dependencySteps: Int
    /// The operations so far.
    private(set) var parts: [Part] = []
    private var places: [Category: Int] = [:]
    /// The rank of the operation for which the last place of a queue is kept, by queue.
    private var keptRanks: [QueueIndex: OperationRank] = [:]
    /// The place of the last category: neighbours mostly share one.
    private var last: Int?

    /// Begins a count.
    init(dependencySteps: Int) { self.dependencySteps = dependencySteps }

    /// Whether a node comes after the operation for which the last place of its queue is kept.
    ///
    /// - Parameter first: finds that operation's rank; called once for each queue.
    mutating func isBehindKeptPlace(_ node: OperationNode, first: () -> OperationRank?) -> Bool {
        if let rank = keptRanks[node.queue] { return rank < node.rank }
        guard let rank = first() else { return false }
        keptRanks[node.queue] = rank
        return rank < node.rank
    }

    /// Counts the operations of a node; nodes have to come in order.
    mutating func count(
        _ node: OperationNode,
        at index: NodeIndex,
        in category: Category,
        _ dependency: FirstDependency?
    ) {
        let place = place(of: category, index, dependency?.address)
        parts[place].count += Int(node.count)
        if parts[place].dependency != dependency?.address || dependency?.isShared == false {
            parts[place].isOnlyDependency = false
        }
        if let time = node.notBefore { parts[place].from = parts[place].from.map { min($0, time) } ?? time }
    }

    private mutating func place(of category: Category, _ index: NodeIndex, _ dependency: Address?) -> Int {
        if let last, parts[last].category == category { return last }
        let place = places[category] ?? parts.count
        if place == parts.count {
            places[category] = place
            parts.append(
                Part(
                    category: category,
                    first: index,
                    dependency: dependency,
                    isOnlyDependency: dependency != nil,
                    place: place
                )
            )
        }
        last = place
        return place
    }
}
