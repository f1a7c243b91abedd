/// A submission that has passed all checks independent of the cluster.
///
/// Only a validated submission reaches the scheduler. The time of the check grows with the submission, so that the check runs
/// once, and outside the coordinator's thread if it takes long.
@_spi(Baton) public struct ValidatedSubmission: Sendable {
    /// The submission itself.
    public private(set) var submission: Submission
    /// What the operations of the submission's templates need of their workers.
    public let needs: TemplateNeeds

    /// Checks a submission.
    ///
    /// - Throws: ``Refusal``, as ``Submission/validated(areNamesChecked:)`` does.
    /// - Complexity: O(entries + dependencies).
    public init(_ submission: Submission) throws(Refusal) {
        try submission.validated()
        self.submission = submission
        self.submission.tellWorks(of: submission.settings.traceParent)
        needs = TemplateNeeds(of: self.submission.templates)
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
}
