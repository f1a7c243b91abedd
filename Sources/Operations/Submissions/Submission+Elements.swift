@_spi(Baton) extension Submission {
    /// Whether any operation depends on single elements of arrays.
    ///
    /// - Complexity: O(entries).
    var haveElements: Bool {
        // By position: a copy of each entry would take longer than the checks.
        entries.indices.contains { entries[$0].dependencies.haveElements }
    }

    /// Replaces dependencies on single elements of the submission's own arrays by the addresses of these operations.
    ///
    /// - Parameters:
    ///   - job: the number of the job.
    ///   - first: the index of the submission's first operation in the job.
    /// - Complexity: O(entries + dependencies).
    public mutating func addressElements(in job: JobNumber, from first: UInt32 = 0) {
        guard haveElements else { return }
        var next = first
        var firsts: [UInt32] = []
        firsts.reserveCapacity(entries.count)
        for position in entries.indices {
            firsts.append(next)
            next += UInt32(entries[position].count)
        }
        for entry in entries.indices where entries[entry].dependencies.haveElements {
            for position in entries[entry].dependencies.indices {
                guard case .element(let array, let element) = entries[entry].dependencies[position].target else {
                    continue
                }
                let id = OperationID(job: job, index: firsts[array] + element)
                entries[entry].dependencies[position].target = .existing(.operation(id))
            }
        }
    }
}
