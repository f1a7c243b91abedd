extension Evidence {
    /// Each acknowledged submission exists exactly once, as acknowledged, other submissions at most once, and no other
    /// jobs exist.
    func violationsOfSubmissions() -> [String] {
        var violations: [String] = []
        let existing = Dictionary(grouping: jobs) { $0.name ?? "" }
        for plan in submitted {
            let numbers = (existing[plan.name] ?? []).map(\.job).sorted()
            let list = numbers.map(String.init).joined(separator: ", ")
            if numbers.count > 1 {
                violations.append("The submission \(plan.name) exists several times: as jobs \(list).")
            }
            for number in Set(plan.acknowledged).sorted() where !numbers.contains(number) {
                violations.append(
                    "The submission \(plan.name) was acknowledged as job \(number), which does not exist."
                )
            }
            for job in existing[plan.name] ?? [] where job.operations.count != plan.operations.count {
                violations.append(
                    "Job \(job.job) has \(job.operations.count) operations; \(plan.operations.count) were submitted."
                )
            }
        }
        let names = Set(submitted.map(\.name))
        for job in jobs where !names.contains(job.name ?? "") {
            violations.append("Job \(job.job) exists, and nobody submitted it.")
        }
        let known = Dictionary(jobs.map { ($0.job, $0.operations.count) }) { first, _ in first }
        for address in journal.executions.keys.sorted() where address.index >= known[address.job] ?? 0 {
            violations.append("\(address) was executed, and does not exist.")
        }
        return violations
    }

    /// A wait for a job returns only after all its operations are over.
    func violationsOfWaits() -> [String] {
        subjects().joined().flatMap { subject -> [String] in
            guard let returned = journal.waits[subject.address.job] else { return [] }
            let late = subject.executions.filter {
                max($0.start, $0.certainlyRanUntil) > returned && !subject.isRepetition($0)
            }
            return late.map {
                "The wait for job \(subject.address.job) returned before attempt \($0.attempt) of \(subject.address) ended."
            }
        }
    }
}
