@_spi(Baton) import BatonOperations

/// Operations that take the results of an earlier job, or the files of the submitter.
extension Scheduler {
    /// Ends the operations of a new job that take a result, in the event that brings the job.
    ///
    /// So the record has the job and these ends in one commit, and nothing of them ever runs. All that they wait for takes results, too.
    ///
    /// - Complexity: O(operations that take a result).
    mutating func takeResults(_ reused: [ReusedOperation], of job: JobNumber) {
        for operation in reused {
            let id = OperationID(job: job, index: operation.index)
            guard let whole = graph.node(for: id) else { continue }
            take(operation, at: isolate(id, in: whole))
        }
    }

    /// Ends the operation that has the files of the submitter, in the event that brings the job.
    ///
    /// - Complexity: O(files), and O(dependents).
    mutating func takeSentFiles(_ sent: SentFiles, of job: JobIndex) {
        let index = graph[job].entries[sent.entry].first
        guard !sent.files.isEmpty, let place = graph.node(for: OperationID(job: graph[job].number, index: index)) else {
            return
        }
        var record = record(at: place)
        record.state = .finished
        record.outcome = .succeeded
        record.finishedAt = now
        record.reason = Reason(.sent, "Its files came from the submitter.")
        record.hasFiles = true
        keepFiles(sent.files, of: place, record)
        finish(place, as: record, .succeeded, told: nil)
    }

    private mutating func take(_ operation: ReusedOperation, at place: NodeIndex) {
        var record = record(at: place)
        record.state = .finished
        record.outcome = .succeeded
        record.finishedAt = now
        record.notBefore = nil
        record.reason = .reused(from: operation.source)
        record.hasResult = operation.hasResult
        if operation.hasResult { emit(.commit(.result(record.id, from: operation.source))) }
        if !files.isEmpty, let source = files[operation.source] {
            record.hasFiles = true
            keepFiles(source.files, of: place, record)
        }
        finish(place, as: record, .succeeded, told: nil)
    }
}
