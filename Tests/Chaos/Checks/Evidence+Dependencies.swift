extension Evidence {
    /// No operation starts before the last end of its dependencies.
    func violationsOfDependencies() -> [String] {
        subjects().flatMap { job in
            job.flatMap { subject -> [String] in
                guard let start = subject.executions.first?.start else { return [] }
                return subject.planned.dependencies.compactMap { dependency in
                    guard job.indices.contains(dependency.index) else { return nil }
                    let other = job[dependency.index]
                    let late = other.executions.first {
                        max($0.start, $0.certainlyRanUntil) > start && !other.isRepetition($0)
                    }
                    guard let late, !wasOver(other, at: start, before: late) else { return nil }
                    return "\(subject.address) started before attempt \(late.attempt) of \(other.address) ended, "
                        + "on which it depends."
                }
            }
        }
    }

    /// Whether a dependency ran again between two executions, because all processes that knew of the earlier end were
    /// killed.
    ///
    /// In that case the first of the two executions does not count.
    func hasDependencyRunAgain(
        _ subject: Subject,
        in job: [Subject],
        between previous: Execution,
        and next: Execution
    ) -> Bool {
        subject.planned.dependencies.contains { dependency in
            guard job.indices.contains(dependency.index) else { return false }
            let other = job[dependency.index]
            return other.executions.contains { late in
                late.start < next.start && wasOver(other, at: previous.start, before: late)
            }
        }
    }

    /// Whether a dependency had ended at a time, and runs again later because all processes that knew of one of its
    /// ends were killed.
    private func wasOver(_ subject: Subject, at start: Int, before late: Execution) -> Bool {
        late.start > start
            && subject.executions.contains { execution in
                execution.end.map { $0.place < start } ?? false && journal.isForgotten(execution, before: late)
            }
    }
}
