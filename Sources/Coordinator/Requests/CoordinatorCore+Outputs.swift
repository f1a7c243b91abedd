@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// Answers requests for the outputs of many operations.
extension CoordinatorCore {
    /// The most operations that one page covers; without a limit, a reading that never finds anything would delay others.
    static let mostOperationsOfOutputs: UInt32 = 250_000
    /// The most failed operations that one page covers.
    static let mostFailuresOfOutputs = 1000

    func readOutputs(_ selection: OutputSelection, for client: ReplyAddress) {
        let executions = selection.isFailedOnly ? [] : scheduler.executions(of: selection.job)
        answerBeside(client) { store throws(StoreError) in
            guard let job = try store.job(selection.job) else { return .refused(.noSuch(.job(selection.job))) }
            var builder = OutputPageBuilder(selection, operationsOfJob: job.operations)
            if selection.isFailedOnly {
                try Self.readFailedOutputs(into: &builder, store)
            } else {
                try Self.readOutputs(into: &builder, store)
            }
            builder.add(executions)
            return .outputs(builder.page)
        }
    }

    private static func readOutputs(into builder: inout OutputPageBuilder, _ store: any RecordReader) throws(StoreError)
    {
        var room = mostOperationsOfOutputs
        for range in builder.selection.operations {
            let end = range.lowerBound + min(UInt32(range.count), room)
            if end > range.lowerBound { try builder.read(range.lowerBound..<end, store) }
            guard builder.page.next == nil else { return }
            if end < range.upperBound { return builder.stop(at: end) }
            room -= UInt32(range.count)
        }
    }

    private static func readFailedOutputs(
        into builder: inout OutputPageBuilder,
        _ store: any RecordReader
    ) throws(StoreError) {
        var ranges = builder.selection.operations[...]
        guard let start = ranges.first?.lowerBound else { return }
        let job = builder.selection.job
        let failures = try store.failures(of: job, from: start, limit: mostFailuresOfOutputs + 1)
        for failure in failures.prefix(mostFailuresOfOutputs) {
            while let range = ranges.first, range.upperBound <= failure { ranges = ranges.dropFirst() }
            guard let range = ranges.first else { return }
            guard range.contains(failure) else { continue }
            try builder.read(failure..<failure + 1, store)
            guard builder.page.next == nil else { return }
        }
        if failures.count > mostFailuresOfOutputs { builder.stop(at: failures[mostFailuresOfOutputs]) }
    }
}
