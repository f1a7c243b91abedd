@_spi(Baton) package import BatonOperations

/// The range of operations of a record.
extension OperationRecord {
    /// The index of the last operation of the record.
    package var lastIndex: UInt32 {
        let (last, overflow) = id.index.addingReportingOverflow(max(count, 1) - 1)
        return overflow ? .max : last
    }

    /// Returns the record of one of the operations.
    package func single(at index: UInt32) -> OperationRecord {
        var record = OperationRecord(id: OperationID(job: id.job, index: index), state: state)
        record.outcome = outcome
        record.isCancelled = isCancelled
        record.reason = reason
        record.exitStatus = exitStatus
        record.signal = signal
        record.attempt = attempt
        record.losses = losses
        record.failures = failures
        record.token = token
        record.worker = worker
        record.readyAt = readyAt
        record.startedAt = startedAt
        record.finishedAt = finishedAt
        record.notBefore = notBefore
        record.hasResult = hasResult
        record.hasFiles = hasFiles
        record.isHeld = isHeld
        record.skippedFor = rootsFollow ? skippedFor?.after(index - min(id.index, index)) : skippedFor
        if let priorityChange {
            let offset = UInt64(index - min(id.index, index))
            record.priorityChange = PriorityChange(
                priority: priorityChange.priority,
                order: priorityChange.order + offset
            )
        }
        return record
    }
}
