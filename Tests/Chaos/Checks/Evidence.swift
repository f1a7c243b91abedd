/// All that is known once everything is over: what was asked for, what happened, and what Baton says of it.
public struct Evidence: Sendable {
    /// What was submitted, acknowledged or not.
    public var submitted: [PlannedJob] = []
    /// What was asked to be cancelled, acknowledged or not: a job (12) or an operation (12/3).
    public var askedToCancel: Set<String> = []
    /// The limits of queues.
    public var limits: [String: Int] = [:]
    /// The slots of each worker.
    public var slots = Int.max
    /// What happened.
    public var journal = Journal([])
    /// All jobs that Baton knows in the end.
    public var jobs: [ShownJob] = []
    /// What the tool itself saw that must not be: a command that failed, a process that ended or was left behind.
    public var incidents: [String] = []

    /// Nothing yet.
    public init() {}

    /// Everything that contradicts a promise of Baton, one sentence each; none if all were kept.
    ///
    /// - Complexity: O(n log n) in the length of the journal.
    public func violations() -> [String] {
        incidents + journal.contradictions + violationsOfSubmissions() + violationsOfOutcomes()
            + violationsOfDependencies()
            + violationsOfAttempts() + violationsOfLimits() + violationsOfCancellations() + violationsOfWaits()
    }

    /// An operation from all sides.
    struct Subject {
        var address: OperationAddress
        var planned: PlannedOperation
        var shown: ShownOperation
        /// In the order of their starts.
        var executions: [Execution]
    }

    /// The jobs that were submitted and exist, each with its operations from all sides.
    ///
    /// What has no counterpart is left out: ``violationsOfSubmissions()`` tells of it.
    func subjects() -> [[Subject]] {
        let planned = Dictionary(submitted.map { ($0.name, $0) }) { first, _ in first }
        return jobs.compactMap { job in
            guard let name = job.name, let plan = planned[name] else { return nil }
            return zip(plan.operations, job.operations).enumerated().map { index, pair in
                let address = OperationAddress(job: job.job, index: index)
                var executions = journal.executions[address] ?? []
                // A cancellation ended the last one, nobody knows when: a kill of its worker afterwards says nothing of it.
                if pair.1.outcome == "cancelled", let last = executions.indices.last, executions[last].end == nil {
                    executions[last].workerKilled = nil
                }
                return Subject(address: address, planned: pair.0, shown: pair.1, executions: executions)
            }
        }
    }
}
