/// A submission that has passed every check which needs no knowledge of the cluster.
///
/// Only such a submission reaches the scheduler. The check takes as long as the submission is large, so that it is done once, and
/// beside the coordinator's thread where it takes long.
public struct ValidatedSubmission: Sendable {
    /// The submission itself.
    public private(set) var submission: Submission

    /// Checks a submission.
    ///
    /// - Throws: ``Refusal``, as ``Submission/validated(areNamesChecked:)`` does.
    /// - Complexity: O(entries + dependencies).
    public init(_ submission: Submission) throws(Refusal) {
        try submission.validated()
        self.submission = submission
    }

    /// Gives an existing dependency of all entries another address, under which the same operation is found.
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
