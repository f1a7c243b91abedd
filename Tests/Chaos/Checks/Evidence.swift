/// The complete evidence of a run: the requests, the events, and Baton's own answers.
package struct Evidence: Sendable {
    /// The submissions, acknowledged or not.
    package var submitted: [PlannedJob] = []
    /// The requested cancellations, acknowledged or not: a job (12) or an operation (12/3).
    package var askedToCancel: Set<String> = []
    /// The limits of queues.
    package var limits: [String: Int] = [:]
    /// The slots of each worker.
    package var slots = Int.max
    /// The journal of the run.
    package var journal = Journal([])
    /// All jobs that Baton knows in the end.
    package var jobs: [ShownJob] = []
    /// Incidents that the tool itself saw: a failed command, an unexpected end of a process, or a leftover process.
    package var incidents: [String] = []

    /// Creates empty evidence.
    package init() {}

    /// The violations of Baton's promises, one sentence each; empty without any.
    ///
    /// - Complexity: O(n log n) in the length of the journal.
    package func violations() -> [String] {
        incidents + journal.contradictions + violationsOfSubmissions() + violationsOfOutcomes()
            + violationsOfDependencies()
            + violationsOfAttempts() + violationsOfLimits() + violationsOfCancellations() + violationsOfWaits()
    }

    /// An operation with the plan, the final state and the executions.
    struct Subject {
        var address: OperationAddress
        var planned: PlannedOperation
        var shown: ShownOperation
        /// In the order of their starts.
        var executions: [Execution]

        /// Whether an execution only made the operation's file once more, which may have been lost with the worker of an earlier success
        /// (FI6).
        func isRepetition(_ execution: Execution) -> Bool {
            planned.leavesFile
                && executions.contains { earlier in
                    let moments = [earlier.workerKilled, earlier.workerCut].compactMap(\.self)
                    return moments.contains { $0 < execution.start }
                        && earlier.end.map { $0.status == 0 && $0.place < execution.start } ?? false
                }
        }
    }

    /// The jobs that were submitted and exist, each with its operations.
    ///
    /// Jobs without a counterpart are left out: ``violationsOfSubmissions()`` reports them.
    func subjects() -> [[Subject]] {
        let planned = Dictionary(submitted.map { ($0.name, $0) }) { first, _ in first }
        return jobs.compactMap { job in
            guard let name = job.name, let plan = planned[name] else { return nil }
            return zip(plan.operations, job.operations).enumerated().map { index, pair in
                let address = OperationAddress(job: job.job, index: index)
                var executions = journal.executions[address] ?? []
                // A cancellation ended the last execution at an unknown time, so a later kill of its worker means
                // nothing.
                if pair.1.outcome == "cancelled", let last = executions.indices.last, executions[last].end == nil {
                    executions[last].workerKilled = nil
                }
                return Subject(address: address, planned: pair.0, shown: pair.1, executions: executions)
            }
        }
    }
}
