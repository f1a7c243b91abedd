extension Evidence {
    /// Each operation has one outcome, and the journal explains the outcome.
    func violationsOfOutcomes() -> [String] {
        subjects().flatMap { job in job.flatMap { violation(ofOutcomeOf: $0, in: job).map { [$0] } ?? [] } }
    }

    private func violation(ofOutcomeOf subject: Subject, in job: [Subject]) -> String? {
        let (address, shown) = (subject.address, subject.shown)
        guard shown.state == "finished", let outcome = shown.outcome else {
            return "\(address) has no outcome: it is \(shown.state)."
        }
        let last = subject.executions.last { $0.attempt == shown.attempt }
        if let beyond = subject.executions.first(where: { $0.attempt > shown.attempt }) {
            return "\(address) has \(outcome) in attempt \(shown.attempt), and attempt \(beyond.attempt) ran."
        }
        let impossible = Self.impossibleDependency(of: subject, in: job)
        switch outcome {
        case "succeeded":
            guard last?.end?.status == 0 || subject.executions.contains(where: subject.isRepetition) else {
                return "\(address) has succeeded in attempt \(shown.attempt), which did not end so."
            }
        case "failed" where shown.reason == "lost":
            guard shown.losses > 0,
                subject.executions.isEmpty || subject.executions.contains(where: { $0.workerKilled != nil })
            else { return "\(address) has failed as lost, and its worker was never killed." }
        case "failed":
            guard let last, last.hasFailed else {
                return "\(address) has failed in attempt \(shown.attempt), which did not end so."
            }
            let failures = subject.executions.count(where: \.hasFailed)
            guard failures > subject.planned.retries else {
                return
                    "\(address) has failed after \(failures) failures, though it has \(subject.planned.retries) retries."
            }
        case "cancelled":
            guard askedToCancel.contains("\(address.job)") || askedToCancel.contains("\(address)") else {
                return "\(address) was cancelled, and nobody asked for it."
            }
        case "skipped":
            if impossible == nil { return "\(address) was skipped, though all that it needs came true." }
            if let wrong = Self.wrongRoot(of: subject, in: job) { return wrong }
            if let first = subject.executions.first {
                return "\(address) was skipped, and ran as attempt \(first.attempt)."
            }
        default: return "\(address) has the outcome \(outcome), which there is not."
        }
        if let impossible, outcome == "succeeded" || outcome == "failed" {
            return
                "\(address) has \(outcome), though what it needs of \(address.job)/\(impossible.index) did not come true."
        }
        return nil
    }

    /// A dependency that keeps an operation from running; of several `onFailure` dependencies, one failure is enough.
    private static func impossibleDependency(
        of subject: Subject,
        in job: [Subject]
    ) -> (index: Int, condition: PlannedOperation.Condition)? {
        let known = subject.planned.dependencies.filter { job.indices.contains($0.index) }
        let unmet = known.first {
            $0.condition == .needs && (job[$0.index].shown.outcome ?? "succeeded") != "succeeded"
        }
        if let unmet { return unmet }
        let failing = known.filter { $0.condition == .onFailure && job[$0.index].shown.outcome != nil }
        return failing.contains { hasFailed(job[$0.index].shown, in: job) } ? nil : failing.first
    }

    /// Whether an operation failed, or was skipped because of a failed operation.
    private static func hasFailed(_ shown: ShownOperation, in job: [Subject]) -> Bool {
        shown.outcome == "failed" || shown.outcome == "skipped" && root(of: shown, in: job)?.outcome == "failed"
    }

    private static func root(of shown: ShownOperation, in job: [Subject]) -> ShownOperation? {
        job.first { "\($0.address)" == shown.skippedBecauseOf }?.shown
    }

    /// The fault in the stated root of a skip: the root must have failed or been cancelled, unless the operation was
    /// not needed.
    private static func wrongRoot(of subject: Subject, in job: [Subject]) -> String? {
        guard let root = subject.shown.skippedBecauseOf else {
            return subject.shown.reason == "notNeeded" ? nil : "\(subject.address) was skipped because of nothing."
        }
        switch Self.root(of: subject.shown, in: job)?.outcome {
        case "failed", "cancelled": return nil
        case let outcome: return "\(subject.address) was skipped because of \(root), which is \(outcome ?? "unknown")."
        }
    }
}
