@_spi(Baton) public import BatonOperations

/// The failed operations of a job in groups of alike failures: `failures JOB`.
@_spi(Baton) public struct FailuresDocument: Document {
    /// Operations that failed for the same reason, with the same last line of standard error apart from numbers.
    public struct Group: Document {
        /// The number of the group, from 1, for `baton retry JOB --group N`; settled once the job is finished.
        public var group: Int
        /// The number of operations in the group.
        public var count: Int
        /// The reason as a word.
        public var reason: Reason.Code
        /// The exit status of the last attempts, if the processes exited.
        public var exitStatus: Int32?
        /// The signal that ended the last attempts, if any.
        public var signal: Int32?
        /// The reason of the first operation as a sentence.
        public var message: String?
        /// The first operations, at most ten.
        public var operations: [OperationID]
        /// The names of these operations; null for an operation without a name.
        public var names: [String?]
        /// The items of these operations; null outside arrays.
        public var items: [String?]
        /// The last line of standard error, or the reason if there is none, with `#` for numbers; empty if the group has operations
        /// with different lines.
        @Content public var line: String?
        /// The last lines of the first operation's standard error, at most 2 KiB.
        @Content public var stderr: String?

        /// Changes the texts; those of standard error line by line.
        public mutating func changeTexts(_ change: (String) -> String) {
            changeTextsOfMembers(linesAt: \.stderr, change)
        }

        /// Describes a group.
        public init(
            group: Int,
            count: Int,
            kind: FailureKind,
            message: String?,
            operations: [OperationID],
            names: [String?],
            items: [String?],
            stderr: String?
        ) {
            self.group = group
            self.count = count
            reason = kind.reason
            exitStatus = kind.exitStatus
            signal = kind.signal
            self.message = message
            self.operations = operations
            self.names = names
            self.items = items
            line = kind.line
            self.stderr = stderr
        }
    }

    /// The job's number.
    public var job: JobNumber
    /// The job's name; nil for a job without a name.
    public var name: String?
    /// The state of the whole job; an unfinished job may have more failures later.
    public var state: OperationState
    /// The number of operations by state, and of finished operations by outcome.
    public var counts: JobCounts
    /// The groups, the largest first.
    public var failures: [Group]
    /// The number of further groups.
    public var more: Int

    /// Lists groups.
    ///
    /// - Parameter isOpen: whether the job takes further operations: such a job is not finished.
    public init(
        job: JobNumber,
        name: String?,
        isOpen: Bool = false,
        counts: JobCounts,
        failures: [Group],
        more: Int
    ) {
        self.job = job
        self.name = name
        state = counts.state(isOpen: isOpen)
        self.counts = counts
        self.failures = failures
        self.more = more
    }
}
