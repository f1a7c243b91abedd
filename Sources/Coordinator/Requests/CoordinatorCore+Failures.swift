@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// Answers requests for the failures of a job.
extension CoordinatorCore {
    /// The most groups of one answer.
    static let mostFailureGroups = 100
    /// The most bytes of standard error that a group shows.
    static let mostStandardError = 2048

    func answerFailures(of job: JobNumber, limit: UInt32, for client: ReplyAddress) {
        let limit = min(Int(limit), Self.mostFailureGroups)
        let liveCounts = scheduler.counts(of: job)
        let isOpen = scheduler.isOpen(job)
        answerBeside(client) { store throws(StoreError) in
            guard let summary = try store.job(job) else { return .refused(.noSuch(.job(job))) }
            let groups = try store.failureGroups(of: job)
            var described: [FailuresDocument.Group] = []
            for (position, group) in groups.prefix(limit).enumerated() {
                described.append(try FailuresDocument.Group(group, number: position + 1, of: job, store))
            }
            // The record knows more than the scheduler did when the question came.
            var counts = summary.counts ?? liveCounts ?? JobCounts()
            counts.noteFailed(groups.reduce(0) { $0 + $1.count })
            let document = FailuresDocument(
                job: job,
                name: summary.name,
                isOpen: isOpen,
                counts: counts,
                failures: described,
                more: groups.count - described.count
            )
            return .document(document.json(for: client.disclosure))
        }
    }
}

extension FailuresDocument.Group {
    /// Describes a group with its first operations, and with the output of the first one.
    fileprivate init(
        _ group: FailureGroup,
        number: Int,
        of job: JobNumber,
        _ store: any RecordReader
    ) throws(StoreError) {
        var operations: [StoredOperation] = []
        for index in group.first { operations += try store.operations(of: job, from: index, limit: 1) }
        let first = operations.first?.record
        let output = try first.flatMap { record throws(StoreError) in
            try store.output(of: record.id, attempt: record.attempt)
        }
        self.init(
            group: number,
            count: group.count,
            kind: group.kind,
            message: first?.reason?.message,
            operations: operations.map(\.record.id),
            names: operations.map(\.entry.name),
            items: operations.map(\.arrayItem),
            stderr: output.map { Self.end(of: $0.standardError) }
        )
    }

    /// The last whole lines of a stream; a longer last line is cut.
    private static func end(of stream: OutputTail) -> String {
        let end = stream.bytes.suffix(CoordinatorCore.mostStandardError)
        let isWhole = UInt64(end.count) == stream.totalLength
        let firstLine = isWhole ? nil : end.firstIndex(of: 0x0A)
        let lines = firstLine.map { end[($0 + 1)...] } ?? end
        return String(decoding: lines.isEmpty ? end : lines, as: UTF8.self)
    }
}

extension JobCounts {
    /// Counts operations as failed that have failed since the numbers were taken: executing ones, and then others.
    ///
    /// - Parameter number: the number of failed operations.
    mutating func noteFailed(_ number: Int) {
        var missing = max(0, number - failed)
        for place in [\JobCounts.executing, \.ready, \.pending] {
            let moved = min(missing, self[keyPath: place])
            self[keyPath: place] -= moved
            failed += moved
            missing -= moved
        }
    }
}
