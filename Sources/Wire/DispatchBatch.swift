public import BatonOperations

/// Attempts to run, with their shared work.
public struct DispatchBatch: Hashable, Sendable {
    /// One attempt to run.
    public struct Item: Hashable, Sendable {
        /// The attempt.
        public var token: AttemptToken
        /// The operation of the attempt.
        public var operation: OperationID
        /// The number of the attempt, from 1 (`BATON_ATTEMPT`); for a completion hook, the number of attempts of the operation.
        public var attempt: UInt32
        /// The work, as a position in ``DispatchBatch/works``.
        public var work: UInt32
        /// The operation's name (`BATON_NAME`); nil for none.
        public var name: String?
        /// The operation's queue (`BATON_QUEUE`), as a position in ``DispatchBatch/queues``.
        public var queue: UInt32
        /// The class for the share of processor and disk (QO2); nil means unset.
        public var qualityOfService: QualityOfService?
        /// The number of the array element (`BATON_INDEX`); nil outside arrays.
        public var arrayNumber: Int64?
        /// The item of the array element (`BATON_ITEM`, `{}`); nil outside arrays.
        public var arrayItem: String?
        /// Whether dependencies left results, which the worker fetches before the start.
        public var hasInputs: Bool
        /// The place in the worker's order of starts: a lower turn starts before a higher turn, even after a later arrival.
        ///
        /// Equal turns start in the order of arrival.
        public var turn: UInt64
        /// The outcome of the operation (`BATON_OUTCOME`) for a completion hook; nil for the operation itself.
        ///
        /// A completion hook needs no slot.
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

    /// The work of the items; each distinct work is listed once.
    public var works: [Work]
    /// The names of the items' queues.
    public var queues: [String]
    /// The attempts, in the order of arrival.
    public var items: [Item]

    /// Puts a batch together.
    public init(works: [Work] = [], queues: [String] = [], items: [Item] = []) {
        self.works = works
        self.queues = queues
        self.items = items
    }
}
