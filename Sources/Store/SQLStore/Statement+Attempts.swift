@_spi(Baton) import BatonOperations

/// Attempts and their outputs in rows.
extension Statement {
    /// Binds an attempt to the parameters of ``Statements/writeAttempt``.
    func bind(_ attempt: AttemptRecord, of operation: OperationID) {
        typealias Column = AttemptColumn
        bind(Column.job, operation.job.rawValue)
        bind(Column.operation, operation.index)
        bind(Column.attempt, attempt.attempt)
        bind(Column.worker, text: attempt.worker)
        bind(Column.startedAt, attempt.startedAt?.inColumn)
        bind(Column.endedAt, attempt.endedAt.inColumn)
        bind(Column.reason, text: attempt.reason.code.rawValue)
        bind(Column.message, text: attempt.reason.message)
        bind(Column.exitStatus, attempt.exitStatus.map(Int64.init))
        bind(Column.signal, attempt.signal.map(Int64.init))
        bind(Column.wasStopped, attempt.wasStopped ? 1 : 0)
        bind(Column.token, attempt.token.map { Int64(bitPattern: $0.rawValue) })
        bind(Column.memory, attempt.limits.memory)
        bind(Column.timeoutUs, attempt.limits.timeout?.microseconds)
    }

    /// Returns the attempt in the current row of a statement with ``AttemptColumn``.
    func attemptRecord() throws(SQLError) -> AttemptRecord {
        typealias Column = AttemptColumn
        guard let code = Reason.Code(rawValue: try text(Column.reason)) else { throw damaged(Column.reason) }
        var attempt = AttemptRecord(
            attempt: try number(Column.attempt),
            worker: try optionalText(Column.worker),
            startedAt: try optionalTime(Column.startedAt),
            endedAt: try time(Column.endedAt),
            reason: Reason(code, try text(Column.message))
        )
        guard attempt.attempt > 0 else { throw damaged(Column.attempt) }
        attempt.exitStatus = try optional(Column.exitStatus)
        attempt.signal = try optional(Column.signal)
        attempt.wasStopped = try flag(Column.wasStopped)
        attempt.token = try optional(Column.token, as: Int64.self).map { RecordToken(rawValue: UInt64(bitPattern: $0)) }
        attempt.limits.memory = try optional(Column.memory)
        guard (1...ByteSize.maximum).contains(attempt.limits.memory ?? 1) else { throw damaged(Column.memory) }
        attempt.limits.timeout = try optional(Column.timeoutUs, as: Int64.self).map { .microseconds($0) }
        guard attempt.limits.timeout.map({ $0 > .zero && $0 <= .longestAllowed }) ?? true else {
            throw damaged(Column.timeoutUs)
        }
        return attempt
    }

    /// Returns the output and the result of an attempt, from the current row.
    func attemptOutput() throws(SQLError) -> AttemptOutput {
        typealias Column = OutputColumn
        return AttemptOutput(
            attempt: try number(Column.attempt),
            standardOutput: OutputTail(
                totalLength: try number(Column.stdoutLength),
                bytes: optionalBytes(Column.stdout) ?? []
            ),
            standardError: OutputTail(
                totalLength: try number(Column.stderrLength),
                bytes: optionalBytes(Column.stderr) ?? []
            ),
            result: optionalBytes(Column.result)
        )
    }
}
