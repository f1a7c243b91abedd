/// A submission that has passed all checks independent of the cluster.
///
/// Only a validated submission reaches the scheduler. The time of the check grows with the submission, so that the check runs
/// once, and outside the coordinator's thread if it takes long.
@_spi(Baton) public struct ValidatedSubmission: Sendable {
    /// The submission itself.
    public private(set) var submission: Submission
    /// What the operations of the submission's templates need of their workers.
    public let needs: TemplateNeeds
    /// The number of the submission's operations.
    public let operationCount: Int
    /// Whether each entry changes nothing but itself when the scheduler takes it, so that a large job can be taken in turns.
    ///
    /// A barrier divides its queue, a delay sets a timer, and an operation that was cancelled before finishes at once. Dependencies
    /// on other jobs may end meanwhile, repeated ones have to be dropped first, and those on elements divide arrays. What takes the
    /// result of an earlier job ends at once, as does what has the files of the submitter.
    public let canBeTakenInTurns: Bool
    /// Whether any operation depends on single elements of arrays.
    public let haveElements: Bool
    /// How the finished elements ended on which arrays of the submission depend element by element, by the range of the elements.
    public private(set) var elementEnds: [Address: ElementEnds] = [:]
    /// The operations that take the results of an earlier job's operations, in the order of their indices.
    public internal(set) var reused: [ReusedOperation] = []

    /// Checks a submission.
    ///
    /// - Throws: ``Refusal``, as ``Submission/validated(areNamesChecked:)`` does.
    /// - Complexity: O(entries + dependencies).
    public init(_ submission: Submission) throws(Refusal) {
        try submission.validated()
        self.submission = submission
        self.submission.tellWorks(of: submission.settings.traceParent)
        needs = TemplateNeeds(of: self.submission.templates)
        operationCount = submission.operationCount
        haveElements = submission.haveElements
        canBeTakenInTurns = !haveElements && submission.hasEntriesForTurns
    }

    /// Checks operations that are to be added to a job.
    ///
    /// - Throws: ``Refusal``, as ``Submission/validated(areNamesChecked:)`` does, and `invalid` for settings of a job.
    /// - Complexity: O(entries + dependencies).
    public init(addition submission: Submission) throws(Refusal) {
        try submission.checkAsAddition()
        try submission.validated()
        self.submission = submission
        needs = TemplateNeeds(of: submission.templates)
        operationCount = submission.operationCount
        // The addresses of an addition depend on what the job has at that moment.
        canBeTakenInTurns = false
        haveElements = submission.haveElements
    }

    /// Replaces the address of an existing dependency in all entries with another address of the same operation.
    ///
    /// - Complexity: O(entries + dependencies).
    public mutating func replaceDependency(on address: Address, with resolved: Address) {
        for entry in submission.entries.indices {
            for position in submission.entries[entry].dependencies.indices
            where submission.entries[entry].dependencies[position].target == .existing(address) {
                submission.entries[entry].dependencies[position].target = .existing(resolved)
            }
        }
    }

    /// Replaces the address of an array on whose elements arrays depend by the range of its operations, and notes the elements that
    /// have finished.
    ///
    /// - Throws: ``Refusal`` `invalid` if an array has another number of elements.
    /// - Complexity: O(entries + dependencies).
    public mutating func noteElements(
        of address: Address,
        _ range: Range<UInt32>,
        _ ends: ElementEnds
    ) throws(Refusal) {
        let resolved = Address.operations(address.job, range)
        for entry in submission.entries.indices where submission.entries[entry].dependencies.haveElements {
            for position in submission.entries[entry].dependencies.indices
            where submission.entries[entry].dependencies[position].target == .existingElements(address) {
                let count = submission.entries[entry].count
                guard count == range.count else {
                    throw .otherShape(of: address.asShown, range.count, for: submission.label(ofEntry: entry), count)
                }
                submission.entries[entry].dependencies[position].target = .existingElements(resolved)
            }
        }
        elementEnds[resolved] = ends
    }
}

extension Submission {
    /// See ``ValidatedSubmission/canBeTakenInTurns``.
    ///
    /// - Complexity: O(entries + dependencies).
    fileprivate var hasEntriesForTurns: Bool {
        // By position: a copy of each entry would take longer than the checks.
        !rejectsUnplaceable && settings.reuse == nil && sent == nil
            && entries.indices.allSatisfy { position in
                !entries[position].isBarrier && !entries[position].isCancelled && entries[position].delay == nil
                    && !entries[position].dependencies.haveExisting && !entries[position].dependencies.haveRepetition
            }
    }
}
