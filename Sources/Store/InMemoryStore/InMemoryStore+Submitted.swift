@_spi(Baton) package import BatonOperations

extension InMemoryStore {
    /// Returns a part of a job as it was submitted.
    package func submittedPart(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> SubmittedPart? {
        guard let stored = storedJob(job) else { return nil }
        let submission = stored.job.submission
        var part = SubmittedPart(queueChanges: submission.queueChanges, entries: [], next: nil)
        var (next, left) = (index, limit)
        for (position, entry) in submission.entries.enumerated() where left > 0 {
            let range = stored.range(of: position)
            guard range.upperBound > next else { continue }
            var (kept, start, end) = (entry, 0, entry.count)
            switch entry.array {
            case nil, .numbers: left -= 1
            case .lines(let lines):
                start = Int(next - range.lowerBound)
                end = min(lines.count, start + left)
                kept.array = .lines(Array(lines[start..<end]))
                left -= end - start
            case .picked(let elements):
                start = Int(next - range.lowerBound)
                end = min(elements.count, start + left)
                kept.array = .picked(Array(elements[start..<end]))
                left -= end - start
            }
            kept.dependencies = []
            part.entries.append(
                SubmittedEntry(
                    first: range.lowerBound,
                    count: UInt32(entry.count),
                    entry: kept,
                    queue: submission.queueNames[entry.queue],
                    template: submission.templates[entry.template],
                    dependencies: entry.dependencies.map { dependency in
                        switch dependency.target {
                        case .existing(let address): .init(.existing(address), dependency.condition)
                        case .entry(let target):
                            .init(
                                .entry(stored.firsts[target], name: submission.entries[target].name),
                                dependency.condition
                            )
                        }
                    },
                    position: UInt32(start)
                )
            )
            next = range.lowerBound + UInt32(end)
        }
        part.next = next < stored.count ? next : nil
        return part
    }
}
