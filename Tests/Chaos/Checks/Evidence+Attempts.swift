extension Evidence {
    /// Each repeated run of an operation has a reason and a new number, and the previous run is over.
    ///
    /// The reasons are a failure that may be retried, a killed worker, a file that was lost, and a dependency that runs again.
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
                    || journal.isForgotten(previous, before: next) || subject.isRepetition(next)
                    || hasDependencyRunAgain(subject, in: job, between: previous, and: next)
            else {
                return "\(address) ran again as attempt \(next.attempt), though attempt \(previous.attempt) "
                    + "neither failed nor lost its worker."
            }
            return nil
        }
    }

    /// The number of executions that were forgotten, since the coordinator was killed, and the worker was killed or cut
    /// off.
    package func forgotten() -> Int {
        journal.executions.values.reduce(0) { count, executions in
            count
                + zip(executions, executions.dropFirst()).count { previous, next in
                    next.attempt <= previous.attempt && journal.isForgotten(previous, before: next)
                }
        }
    }

    /// The number of executions beyond the first of each operation, except after a failure.
    package func reruns() -> Int {
        journal.executions.values.reduce(0) { count, executions in
            count + zip(executions, executions.dropFirst()).count { previous, _ in !previous.hasFailed }
        }
    }
}
