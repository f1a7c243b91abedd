extension Evidence {
    /// Everything has one outcome, the one that what happened leads to.
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
        let impossible = subject.planned.dependencies.first { dependency in
            guard job.indices.contains(dependency.index), let other = job[dependency.index].shown.outcome else {
                return false
            }
            return switch dependency.condition {
            case .after: false
            case .needs: other != "succeeded"
            case .onFailure: other != "failed"
            }
        }
        switch outcome {
        case "succeeded":
            guard let last, last.end?.status == 0 else {
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
}
