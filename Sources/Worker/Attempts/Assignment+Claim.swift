@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations

extension Assignment {
    /// What a process of the attempt may claim to be.
    func claim(on worker: WorkerID) -> OperationClaim {
        OperationClaim(
            incarnation: token.incarnation.rawValue,
            recordToken: token.inRecord.rawValue,
            job: operation.job.rawValue,
            operation: operation.index,
            attempt: attempt,
            worker: worker.rawValue
        )
    }
}
