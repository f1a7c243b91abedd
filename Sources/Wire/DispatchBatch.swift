public import BatonOperations

/// Attempts to run, with the work that they share.
public struct DispatchBatch: Hashable, Sendable {
    /// One attempt to run.
    public struct Item: Hashable, Sendable {
        /// The attempt.
        public var token: AttemptToken
        /// The operation that it is an attempt of.
        public var operation: OperationID
        /// Which attempt of the operation it is, from 1 (`BATON_ATTEMPT`); for a completion hook, how many there were.
        public var attempt: UInt32
        /// What to do, as a position in ``DispatchBatch/works``.
        public var work: UInt32
        /// The operation's name (`BATON_NAME`); nil where it has none.
        public var name: String?
        /// The operation's queue (`BATON_QUEUE`), as a position in ``DispatchBatch/queues``.
        public var queue: UInt32
        /// The class that decides its share of processor and disk (QO2); nil is unset.
        public var qualityOfService: QualityOfService?
        /// The number of the array's element (`BATON_INDEX`); nil where it is none.
        public var arrayNumber: Int64?
        /// The item of the array's element (`BATON_ITEM`, `{}`); nil where it is none.
        public var arrayItem: String?
        /// Whether dependencies left results: the worker fetches them before it starts.
        public var hasInputs: Bool
        /// Its place in the order of starts at the worker: a lower one starts before a higher one, also where it arrives later.
        ///
        /// Equal ones start in the order in which they arrive.
        public var turn: UInt64
        /// How the operation ended (`BATON_OUTCOME`), where this is its completion hook, which needs no slot; nil where it is
        /// the operation itself.
        public var hookOutcome: Outcome?

        /// Describes an attempt to run.
        public init(
            token: AttemptToken,
            operation: OperationID,
            attempt: UInt32,
            work: UInt32,
            name: String? = nil,
            queue: UInt32,
            qualityOfService: QualityOfService? = nil,
            arrayNumber: Int64? = nil,
            arrayItem: String? = nil,
            hasInputs: Bool = false,
            turn: UInt64 = 0,
            hookOutcome: Outcome? = nil
        ) {
            self.token = token
            self.operation = operation
            self.attempt = attempt
            self.work = work
            self.name = name
            self.queue = queue
            self.qualityOfService = qualityOfService
            self.arrayNumber = arrayNumber
            self.arrayItem = arrayItem
            self.hasInputs = hasInputs
            self.turn = turn
            self.hookOutcome = hookOutcome
        }
    }

    /// What the items do; each distinct work stands here once.
    public var works: [Work]
    /// The names of the items' queues.
    public var queues: [String]
    /// The attempts, in the order in which they arrive.
    public var items: [Item]

    /// Puts a batch together.
    public init(works: [Work] = [], queues: [String] = [], items: [Item] = []) {
        self.works = works
        self.queues = queues
        self.items = items
    }
}
