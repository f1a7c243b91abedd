@_spi(Baton) public import BatonOperations

/// Dependencies that have not ended.
@_spi(Baton) extension WaitReason {
    /// The operation waits for the end of an operation, of an array, or of a job.
    ///
    /// - Parameters:
    ///   - counts: the states of the operations at the address, as counts.
    ///   - reasons: the reasons that keep the prerequisite from running; empty if the prerequisite is executing.
    public static func dependency(
        on address: Address,
        condition: DependencyCondition,
        counts: JobCounts,
        waitsFor reasons: [WaitReason] = []
    ) -> WaitReason {
        let unfinished = counts.unfinished
        var sentence =
            if unfinished > 1 {
                "\(unfinished) operations of \(address.asShown) are not finished"
            } else {
                "\(address.asShown) is \(counts.state == .finished ? "not finished" : counts.state.description)"
            }
        switch condition {
        case .any: sentence += "; this one can start when that is finished."
        case .success: sentence += "; this one can start when that has succeeded, and is skipped if it does not."
        case .failure, .failureOfAll:
            sentence += "; this one can start when that has failed, and is skipped if it does not."
        }
        var reason = WaitReason(.dependency, sentence)
        reason.operation = address.description
        reason.condition = condition
        reason.counts = counts
        reason.waitsFor = reasons
        return reason
    }

    /// The operation has more dependencies than listed.
    public static func moreDependencies(_ count: Int) -> WaitReason {
        var reason = WaitReason(
            .dependency,
            (count == 1 ? "Another dependency is" : "\(count) other dependencies are") + " not finished."
        )
        reason.more = count
        return reason
    }

    /// The job that the operation waits for is open.
    public static func openJob(_ job: JobNumber) -> WaitReason {
        var reason = WaitReason(.dependency, "Job \(job) is open: it ends once somebody has closed it.")
        reason.operation = job.description
        reason.open = true
        return reason
    }
}
