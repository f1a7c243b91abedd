@_spi(Baton) extension ValidatedSubmission {
    /// Notes which operations take the results of operations of an earlier job.
    ///
    /// - Parameters:
    ///   - old: the earlier job, which is finished.
    ///   - lost: the indices of its operations that are not taken over, since their files are lost.
    ///   - sent: the operation of the earlier job that has the same files of the submitter; nil without one.
    /// - Throws: ``Refusal`` `invalid` if one of the jobs is too large for the search.
    /// - Complexity: O(operations + dependencies) of both jobs, on average.
    public mutating func noteReused(
        from old: JobToRetry,
        without lost: Set<UInt32> = [],
        sent: UInt32? = nil
    ) throws(Refusal) {
        let most = ReuseSearch.mostOperations
        guard operationCount <= most, old.job.submission.operationCount <= most else {
            throw Refusal(
                .invalid,
                "The results of job \(old.job.number) cannot be reused: one of the two jobs has more than \(most) operations. "
                    + "Submit it without them."
            )
        }
        reused = ReuseSearch(for: submission, in: old, without: lost, sent: sent).found
    }
}
