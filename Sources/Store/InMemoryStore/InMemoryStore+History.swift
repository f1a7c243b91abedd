@_spi(Baton) package import BatonOperations

/// What happened in a job.
extension InMemoryStore {
    /// Reads a part of a job's history.
    package func history(of number: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> HistoryPart? {
        guard let job = jobs[number] else { return nil }
        guard index < job.count, limit > 0, let firstEntry = job.entry(of: index) else {
            let end = min(index, job.count)
            return HistoryPart(range: end..<end, count: job.count)
        }
        var end = index + UInt32(min(limit, Int(job.count - index)))
        var entries: [HistoryEntry] = []
        var dependencies = 0
        for position in firstEntry..<job.firsts.count where job.firsts[position] < end {
            let submitted = job.job.submission.entries[position]
            var entry = HistoryEntry(
                first: job.firsts[position],
                count: UInt32(submitted.count),
                name: submitted.name,
                queue: job.job.submission.queueNames[submitted.queue]
            )
            dependencies += submitted.dependencies.count
            if dependencies >= HistoryPage.mostDependencies { end = min(end, job.range(of: position).upperBound) }
            if entry.first >= index { entry.dependencies = own(submitted.dependencies.map(job.stored), number) }
            entries.append(entry)
        }
        var attempts: [EarlierAttempt] = []
        for operation in index..<end {
            for attempt in job.attempts[operation] ?? [] { attempts.append(EarlierAttempt(attempt, of: operation)) }
            if attempts.count >= HistoryPage.mostAttempts { end = operation + 1 }
            guard operation + 1 < end else { break }
        }
        entries.removeAll { $0.first >= end }
        for position in entries.indices {
            let operations = max(entries[position].first, index)..<min(entries[position].range.upperBound, end)
            entries[position].numbering = Self.numbering(
                job.job.submission.entries[firstEntry + position],
                first: entries[position].first,
                at: operations
            )
            for operation in operations {
                guard let changed = job.dependencies[operation] else { continue }
                entries[position].changes.append(
                    HistoryEntry.Change(operation: operation, dependencies: own(changed.map(job.stored), number))
                )
            }
        }
        return HistoryPart(
            entries: entries,
            operations: job.records.records.filter { $0.id.index < end && $0.lastIndex >= index }.map {
                OperationHistory($0)
            },
            attempts: attempts,
            range: index..<end,
            count: job.count
        )
    }

    private func own(_ dependencies: [StoredDependency], _ job: JobNumber) -> [HistoryDependency] {
        dependencies.compactMap { dependency in
            guard dependency.target.job == job else { return nil }
            switch dependency.target {
            case .operation(let id):
                return HistoryDependency(
                    first: id.index,
                    count: max(1, dependency.count),
                    condition: dependency.condition
                )
            case .named(_, let name):
                guard let stored = jobs[job], let entry = stored.entry(named: name) else { return nil }
                let range = stored.range(of: entry)
                return HistoryDependency(
                    first: range.lowerBound,
                    count: UInt32(range.count),
                    condition: dependency.condition
                )
            case .job, .operations: return nil
            }
        }
    }

    private static func numbering(_ entry: Entry, first: UInt32, at range: Range<UInt32>) -> HistoryEntry.Numbering {
        switch entry.array {
        case nil: return .none
        case .numbers(let start, let step, _): return .steps(first: start, step: step)
        case .lines: return .steps(first: 0, step: 1)
        case .picked(let elements):
            let position = range.lowerBound - first
            guard entry.name != nil else { return .each(position: position, []) }
            return .each(position: position, range.map { elements[Int($0 - first)].number })
        }
    }
}
