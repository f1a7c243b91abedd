/// Operations that were added to an open job after its submission.
@_spi(Baton) public struct JobAddition: Hashable, Sendable {
    /// The job.
    public var job: JobNumber
    /// The index of the first of the operations; the others follow.
    public var first: UInt32
    /// When the coordinator accepted the operations.
    public var addedAt: Timestamp
    /// Who asked for them, such as the name of a key; nil if nobody is known.
    public var addedBy: String?
    /// The number of the first operation in the order of additions; the other operations follow.
    public var order: UInt64
    /// The operations, with the key of the addition.
    ///
    /// A dependency on an entry beyond the last one is on an earlier entry of the job: see ``earlier``.
    public var submission: Submission
    /// The first operations of the earlier entries on which these operations depend: the number of entries plus a position here
    /// is the target of a dependency.
    public var earlier: [UInt32]

    /// Describes an addition.
    public init(
        job: JobNumber,
        first: UInt32,
        addedAt: Timestamp,
        addedBy: String? = nil,
        order: UInt64,
        submission: Submission,
        earlier: [UInt32] = []
    ) {
        self.job = job
        self.first = first
        self.addedAt = addedAt
        self.addedBy = addedBy
        self.order = order
        self.submission = submission
        self.earlier = earlier
    }

    /// The existing operations and jobs on which the operations depend, apart from earlier entries of the same job.
    public var existingDependencies: Set<Address> {
        var addresses: Set<Address> = []
        for entry in submission.entries where entry.dependencies.haveExisting {
            for address in entry.dependencies.lazy.compactMap(\.target.address) { addresses.insert(address) }
        }
        return addresses
    }
}

/// What the record knows of an addition apart from its operations, which are those of the job.
@_spi(Baton) public struct AddedPart: Hashable, Sendable {
    /// The index of the first of the operations.
    public var first: UInt32
    /// How many operations were added.
    public var operations: UInt32
    /// When the coordinator accepted the operations.
    public var addedAt: Timestamp
    /// The number of the first operation in the order of additions.
    public var order: UInt64
    /// The client's key for the addition; nil for none.
    public var key: String?
    /// The hash that distinguishes additions with the same key; nil for an addition without a key.
    public var keyDigest: UInt64?

    /// Describes an addition.
    public init(
        first: UInt32,
        operations: UInt32,
        addedAt: Timestamp,
        order: UInt64,
        key: String? = nil,
        keyDigest: UInt64? = nil
    ) {
        self.first = first
        self.operations = operations
        self.addedAt = addedAt
        self.order = order
        self.key = key
        self.keyDigest = keyDigest
    }

    /// Describes an addition.
    public init(_ addition: JobAddition) {
        self.init(
            first: addition.first,
            operations: UInt32(clamping: addition.submission.operationCount),
            addedAt: addition.addedAt,
            order: addition.order,
            key: addition.submission.key,
            keyDigest: addition.submission.keyDigest
        )
    }
}
