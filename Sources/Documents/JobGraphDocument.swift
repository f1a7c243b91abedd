@_spi(Baton) public import BatonOperations

/// The graph of a job, laid out for a drawing: `graph JOB --format json`.
///
/// Dependencies on other jobs are left out.
@_spi(Baton) public struct JobGraphDocument: Document {
    /// What a node stands for.
    public enum Level: String, DocumentValue, CaseIterable {
        /// Each node is an operation.
        case operations
        /// Each node is an array, or the operations whose names differ in numbers alone.
        case groups
    }

    /// An operation, or a group of operations.
    public struct Node: Document {
        /// The address of the operation, or of the first operation of the group.
        public var id: OperationID
        /// The name: `tile_17`, or `tile_*` for a group; nil for operations without names.
        public var name: String?
        /// The state of the operation, or of the group as a whole.
        public var state: OperationState
        /// The outcome; nil until all operations of the node are finished.
        public var outcome: Outcome?
        /// True if no operation of the node was needed; absent otherwise.
        @IfPresent public var notNeeded: Bool?
        /// The number of operations.
        public var size: Int
        /// The number of operations by state, and of finished operations by outcome; nil in a graph of operations, where the state
        /// and the outcome say the same.
        public var counts: JobCounts?
        /// The layer, from 0: the number of edges on the longest path to the node.
        public var layer: Int
        /// The horizontal place of the centre in pixels, from 0.
        public var x: Int
        /// The vertical place of the centre in pixels, from 0.
        public var y: Int

        /// Describes a node of a graph of groups; the state and the outcome follow from the counts.
        public init(id: OperationID, name: String?, counts: JobCounts, layer: Int = 0, x: Int = 0, y: Int = 0) {
            self.id = id
            self.name = name
            state = counts.state
            // The outcome of a single operation is its own: for a whole job, a skipped operation is a failure or a success.
            outcome = counts.total == 1 ? Outcome.allCases.first { counts[$0] == 1 } : counts.outcome
            notNeeded = counts.total > 0 && counts.notNeeded == counts.total ? true : nil
            size = counts.total
            self.counts = counts
            self.layer = layer
            self.x = x
            self.y = y
        }

        /// Describes a node of a graph of operations; the state and the outcome follow from the counts of the operation alone.
        public init(operation id: OperationID, name: String?, counts: JobCounts, layer: Int = 0, x: Int = 0, y: Int = 0)
        {
            self.init(id: id, name: name, counts: counts, layer: layer, x: x, y: y)
            // Half of the bytes of a node, for what is known without them.
            self.counts = nil
        }
    }

    /// The dependencies between two nodes with one condition.
    public struct Edge: Document {
        /// The `id` of the node that has to end first.
        public var from: OperationID
        /// The `id` of the node that waits; the same as `from` for dependencies within a group.
        public var to: OperationID
        /// The required kind of end: `any`, `success`, `failure` or `failureOfAll`.
        public var condition: DependencyCondition
        /// The number of dependencies; in a graph of groups, a dependency on an array counts once for each operation that has it.
        public var count: Int

        /// Describes an edge.
        public init(from: OperationID, to: OperationID, condition: DependencyCondition, count: Int) {
            self.from = from
            self.to = to
            self.condition = condition
            self.count = count
        }
    }

    /// The job's number.
    public var job: JobNumber
    /// The job's name; nil for a job without a name.
    public var name: String?
    /// What a node stands for: `groups` if the job has over 2,000 operations, or over 20,000 dependencies between operations.
    public var level: Level
    /// The nodes, by their ids.
    public var nodes: [Node]
    /// The edges, by the nodes that they come from and go to.
    public var edges: [Edge]
    /// The number of dependencies that are left out, because the graph has 20,000 edges of operations, or 1,000 of groups, without them.
    public var moreDependencies: Int

    /// Describes a graph.
    public init(
        job: JobNumber,
        name: String?,
        level: Level,
        nodes: [Node],
        edges: [Edge],
        moreDependencies: Int = 0
    ) {
        self.job = job
        self.name = name
        self.level = level
        self.nodes = nodes
        self.edges = edges
        self.moreDependencies = moreDependencies
    }
}
