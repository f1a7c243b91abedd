/// The hooks of jobs.
///
/// A hook of a job goes the way of the hooks of operations, under an index that no operation has.
@_spi(Baton) extension OperationID {
    /// The address under which the hook of a job goes.
    public static func hook(_ moment: JobHooks.Moment, of job: JobNumber) -> OperationID {
        let place =
            switch moment {
            case .finish: UInt32.max
            case .success: UInt32.max - 1
            case .failure: UInt32.max - 2
            }
        return OperationID(job: job, index: place)
    }

    /// The moment of a job's hook under this address; nil for an operation.
    public var hookMoment: JobHooks.Moment? {
        guard index > UInt32.max - 3 else { return nil }
        return JobHooks.Moment.allCases.first { .hook($0, of: job) == self }
    }

    /// What the hook under this address belongs to, for people.
    public var hookSubject: String { hookMoment == nil ? description : "job \(job)" }
}

@_spi(Baton) extension CompletionHook {
    /// The hooks of a finished job, in the order of ``JobHooks/Moment``.
    ///
    /// - Parameters:
    ///   - name: the name of the job.
    ///   - queue: the queue of the job's first operation.
    ///   - counts: how the operations ended.
    public static func hooks(
        _ hooks: JobHooks,
        of job: JobNumber,
        name: String?,
        queue: String,
        _ counts: JobCounts
    ) -> [CompletionHook] {
        guard let outcome = counts.outcome else { return [] }
        var environment = hooks.environment
        environment["BATON_SUCCEEDED"] = String(counts.succeeded)
        environment["BATON_FAILED"] = String(counts.failed)
        environment["BATON_CANCELLED"] = String(counts.cancelled)
        environment["BATON_SKIPPED"] = String(counts.skipped)
        return JobHooks.Moment.allCases.compactMap { moment in
            guard moment.comes(with: outcome), let command = hooks.commands[moment] else { return nil }
            return CompletionHook(
                operation: .hook(moment, of: job),
                attempt: 0,
                outcome: outcome,
                worker: nil,
                name: name,
                queue: queue,
                work: Work(
                    .commands([command]),
                    environment: environment,
                    directory: hooks.directory,
                    timeout: hooks.timeout
                )
            )
        }
    }
}
