extension Evidence {
    /// An operation runs again only after a failure that may be retried, after its worker was killed, or behind a dependency
    /// that runs again, under a new number, and never while it still runs.
    func violationsOfAttempts() -> [String] {
        subjects().flatMap { job in job.flatMap { violationsOfAttempts(of: $0, in: job) } }
    }

    private func violationsOfAttempts(of subject: Subject, in job: [Subject]) -> [String] {
        zip(subject.executions, subject.executions.dropFirst()).compactMap { previous, next in
            let address = subject.address
            let wasKilled = previous.workerKilled.map { $0 < next.start } ?? false
            let hasEnded = previous.end.map { $0.place < next.start } ?? false
            if next.attempt <= previous.attempt, !journal.isForgotten(previous, before: next) {
                return "\(address) ran as attempt \(next.attempt) after it had run as attempt \(previous.attempt)."
            }
            guard wasKilled || hasEnded else {
                return "\(address) started as attempt \(next.attempt) while attempt \(previous.attempt) still ran."
            }
            guard
                wasKilled || (previous.hasFailed && subject.planned.retries > 0)
                    || journal.isForgotten(previous, before: next)
                    || hasDependencyRunAgain(subject, in: job, between: previous, and: next)
            else {
                return "\(address) ran again as attempt \(next.attempt), though attempt \(previous.attempt) "
                    + "neither failed nor lost its worker."
            }
            return nil
        }
    }

    /// How many executions nobody knew of any more, since the coordinator was killed, and the worker was killed or cut off.
    public func forgotten() -> Int {
        journal.executions.values.reduce(0) { count, executions in
            count
                + zip(executions, executions.dropFirst()).count { previous, next in
                    next.attempt <= previous.attempt && journal.isForgotten(previous, before: next)
                }
        }
    }

    /// How many executions there were beyond the first of each operation, without those that followed a failure.
    public func reruns() -> Int {
        journal.executions.values.reduce(0) { count, executions in
            count + zip(executions, executions.dropFirst()).count { previous, _ in !previous.hasFailed }
        }
    }
}
