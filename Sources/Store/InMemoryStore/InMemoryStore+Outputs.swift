@_spi(Baton) package import BatonOperations

/// Outputs and results of attempts.
extension InMemoryStore {
    /// Finds the output of an attempt.
    package func output(of operation: OperationID, attempt: UInt32?) throws(StoreError) -> AttemptOutput? {
        let outputs = jobs[operation.job]?.outputs[operation.index] ?? []
        guard let attempt else { return outputs.max { $0.attempt < $1.attempt } }
        return outputs.first { $0.attempt == attempt }
    }

    /// Finds outputs.
    package func outputs(
        of job: JobNumber,
        matching query: OutputQuery,
        _ body: (UInt32, AttemptOutput) -> Bool
    ) throws(StoreError) {
        let all = jobs[job]?.outputs ?? [:]
        for index in all.keys.filter(query.operations.contains).sorted() {
            var outputs = (all[index] ?? []).filter {
                query.wantsStandardOutput && $0.standardOutput.totalLength > 0
                    || query.wantsStandardError && $0.standardError.totalLength > 0
            }.sorted { $0.attempt < $1.attempt }
            if query.isLastOnly { outputs = outputs.suffix(1) }
            for var output in outputs where query.attempt ?? output.attempt == output.attempt {
                if index == query.operations.lowerBound, output.attempt <= query.afterAttempt { continue }
                output.result = nil
                if !query.wantsStandardOutput { output.standardOutput.bytes = [] }
                if !query.wantsStandardError { output.standardError.bytes = [] }
                guard body(index, output) else { return }
            }
        }
    }

    /// Finds the result of an operation.
    package func result(of operation: OperationID) throws(StoreError) -> [UInt8]? {
        guard let record = jobs[operation.job]?.records.record(at: operation.index), record.hasResult else {
            return nil
        }
        return try output(of: operation, attempt: record.attempt)?.result
    }
}
