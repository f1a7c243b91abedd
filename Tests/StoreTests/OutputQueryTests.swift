@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing

@Suite("Outputs of many operations", .timeLimit(.minutes(60)))
struct OutputQueryTests {
    /// What a query finds, as texts: `3.1 out/err`.
    private func found(
        _ test: TestStore,
        _ query: OutputQuery,
        upTo limit: Int = .max
    ) throws -> [String] {
        var found: [String] = []
        try test.store.outputs(of: JobNumber(1), matching: query) { index, output in
            #expect(output.result == nil)
            let texts = [output.standardOutput, output.standardError].map { String(decoding: $0.bytes, as: UTF8.self) }
            found.append("\(index).\(output.attempt) \(texts.joined(separator: "/"))")
            return found.count < limit
        }
        return found
    }

    @Test(
        "A store lists outputs in the order of operations and attempts, by range, attempt and stream",
        arguments: StoreKind.engines
    )
    func lists(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let outputs: [(UInt32, AttemptOutput)] = [
            (3, AttemptOutput(attempt: 2, "c2")), (3, AttemptOutput(attempt: 1, "c1", error: "e1", result: "r")),
            (0, AttemptOutput(attempt: 1, "a")), (7, AttemptOutput(attempt: 1, "", error: "only")),
            (4, AttemptOutput(attempt: 1, "", result: "no output")), (3, AttemptOutput(attempt: 3, "", result: "last")),
        ]
        try test.store.commit([
            .job(JobRecord(1, [Entry(array: .numbers(first: 0, step: 1, count: 10))])),
            .job(JobRecord(2, [Entry()])),
            .output(OperationID(2, 0), AttemptOutput(attempt: 1, "of another job")),
        ])
        try test.store.commit(outputs.map { .output(OperationID(1, $0), $1) })
        #expect(try found(test, OutputQuery(operations: 0..<10)) == ["0.1 a/", "3.1 c1/e1", "3.2 c2/", "7.1 /only"])
        #expect(try found(test, OutputQuery(operations: 0..<10), upTo: 2) == ["0.1 a/", "3.1 c1/e1"])
        #expect(try found(test, OutputQuery(operations: 3..<7, afterAttempt: 1)) == ["3.2 c2/"])
        let later = OutputQuery(operations: 1..<8, afterAttempt: 1)
        #expect(try found(test, later) == ["3.1 c1/e1", "3.2 c2/", "7.1 /only"])
        #expect(try found(test, OutputQuery(operations: 0..<10, attempt: 1)) == ["0.1 a/", "3.1 c1/e1", "7.1 /only"])
        let last = OutputQuery(operations: 0..<10, isLastOnly: true)
        #expect(try found(test, last) == ["0.1 a/", "3.2 c2/", "7.1 /only"])
        let errors = OutputQuery(operations: 0..<10, isLastOnly: true, wantsStandardOutput: false)
        #expect(try found(test, errors) == ["3.1 /e1", "7.1 /only"])
        #expect(try found(test, OutputQuery(operations: 0..<10, wantsStandardError: false)).count == 3)
    }

    @Test(
        "D15 A store lists the attempts whose output was lost, and none that printed nothing, was stopped, or never began",
        arguments: StoreKind.engines
    )
    func lost(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        func attempt(
            _ number: UInt32,
            _ reason: Reason.Code,
            start: Timestamp? = Timestamp(rawValue: 1)
        ) -> AttemptRecord {
            AttemptRecord(
                attempt: number,
                worker: "w1",
                startedAt: start,
                endedAt: Timestamp(rawValue: 2),
                reason: Reason(reason, "It ended.")
            )
        }
        var stopped = attempt(2, .lost)
        stopped.wasStopped = true
        var failed = OperationRecord(id: OperationID(1, 7), state: .finished)
        (failed.outcome, failed.reason, failed.attempt) = (.failed, Reason(.lost, "It was lost."), 3)
        try test.store.commit([
            .job(JobRecord(1, [Entry(array: .numbers(first: 0, step: 1, count: 10))])),
            .attempt(OperationID(1, 2), attempt(1, .lost)), .attempt(OperationID(1, 2), stopped),
            .attempt(OperationID(1, 2), attempt(3, .lost)), .attempt(OperationID(1, 3), attempt(1, .lost, start: nil)),
            .attempt(OperationID(1, 4), attempt(1, .exit)), .attempt(OperationID(1, 5), attempt(1, .lost)),
            .output(OperationID(1, 5), AttemptOutput(attempt: 1, "its worker came back with it")),
            .operation(failed),
        ])
        func found(_ range: Range<UInt32>, limit: Int = 100) throws -> [String] {
            try test.store.lostOutputs(of: JobNumber(1), in: range, limit: limit).map {
                "\($0.operation).\($0.attempt)\($0.isLast ? " last" : "")"
            }
        }
        #expect(try found(0..<10) == ["2.1", "2.3", "7.3 last"])
        #expect(try found(0..<10, limit: 2) == ["2.1", "2.3"])
        #expect(try found(3..<7) == [])
        #expect(try found(7..<8) == ["7.3 last"])
    }
}
