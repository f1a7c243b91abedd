@_spi(Baton) import BatonOperations
import Testing

/// Retries of arrays that are too long for a step for each element.
extension RetryTests {
    private static let longest = 99_999_999

    /// An array with an operation behind it, whose elements are cancelled except some of them.
    private func long(
        _ count: Int = Self.longest,
        except ends: [(Range<UInt32>, OperationFate)] = [],
        maxConcurrent: UInt32? = nil
    ) -> JobToRetry {
        let job = job([
            Entry(name: "many", array: array(count)), Entry(name: "end", dependencies: on(0, condition: .success)),
        ]) { $0.templates[0].maxConcurrent = maxConcurrent }
        var fates = OperationFates()
        for (range, fate) in ends {
            let first = fates.runs.last?.operations.upperBound ?? 0
            fates.append(OperationFate(outcome: .cancelled), of: first..<range.lowerBound)
            fates.append(fate, of: range)
        }
        let first = fates.runs.last?.operations.upperBound ?? 0
        fates.append(OperationFate(outcome: .cancelled), of: first..<UInt32(count))
        fates.append(OperationFate(outcome: .skipped, skip: .cancellation), of: UInt32(count)..<UInt32(count) + 1)
        return JobToRetry(job: job, fates: fates)
    }

    // Element by element, a retry took 20 s and more than a gigabyte.
    @Test("The retry of an array of 100,000,000 has no step for each element, and stays a range")
    func longArray() throws {
        let job = long()
        let retry = try #require(try Submission.retrying(job, selecting: RetrySelection(includesCancelled: true)))
        try retry.validated()
        #expect(retry.entries.map(\.array) == [array(Self.longest), nil])
        #expect(retry.entries[1].dependencyArray == on(0, condition: .success))
        #expect(try Submission.retrying(job) == nil)
        #expect(job.hasOperations(for: RetrySelection(includesCancelled: true)))
        #expect(!job.hasOperations(for: RetrySelection()))
        let selection = RetrySelection(operations: [200_000_000..<200_000_001], includesCancelled: true)
        #expect(!job.hasOperations(for: selection))

        var cancelled = OperationRecord(
            id: OperationID(job: number, index: 0),
            count: UInt32(Self.longest),
            state: .finished
        )
        cancelled.outcome = .cancelled
        #expect(JobToRetry(RestoredJob(job: job.job, records: [cancelled])).fates.runs.count == 1)
    }

    @Test("A retry divides a long array where elements are left out, and its dependents depend on all parts")
    func dividedArray() throws {
        let job = long(except: [
            (1_000..<2_000, OperationFate(outcome: .succeeded)),
            (5_000_000..<5_000_001, OperationFate(outcome: .failed)),
            (50_000_000..<50_000_002, OperationFate(outcome: .succeeded, hasResult: true)),
        ])
        let retry = try #require(try Submission.retrying(job, selecting: RetrySelection(includesCancelled: true)))
        try retry.validated()
        #expect(retry.entries.map(\.name) == ["many", nil, nil, "end"])
        #expect(
            retry.entries.map(\.array) == [
                .numbers(first: 10, step: 5, count: 1_000), .numbers(first: 10_010, step: 5, count: 49_998_000),
                .numbers(first: 250_000_020, step: 5, count: 49_999_997), nil,
            ]
        )
        #expect(
            retry.entries[3].dependencyArray == on(0, 1, 2, condition: .success)
                + old(50_000_000, 50_000_001, condition: .success)
        )
        // The failed element alone, without the elements that were cancelled.
        let failed = try #require(
            try Submission.retrying(job, selecting: RetrySelection(includesDependents: false))
        )
        #expect(failed.entries.map(\.array) == [.numbers(first: 25_000_010, step: 5, count: 1)])
    }

    @Test("A retry of selected ranges of a long array has these ranges, however they overlap")
    func selectedRanges() throws {
        let selection = RetrySelection(
            operations: [99_000_000..<99_000_001, 15..<1_000_000, 10..<20],
            includesCancelled: true,
            includesDependents: false
        )
        let retry = try #require(try Submission.retrying(long(), selecting: selection))
        try retry.validated()
        #expect(
            retry.entries.map(\.array) == [
                .numbers(first: 60, step: 5, count: 999_990), .numbers(first: 495_000_010, step: 5, count: 1),
            ]
        )
    }

    @Test("A retry is refused whose dependents would depend on more than ten million single elements")
    func addresses() {
        let selection = RetrySelection(operations: [0..<10], includesCancelled: true)
        #expect(throws: Refusal.self) { try Submission.retrying(long(), selecting: selection) }
    }

    @Test("A short part of an array stays one array, and so does a part of an array with a limit")
    func undivided() throws {
        for (count, limit) in [(10_003, nil), (20_000, 3)] as [(Int, UInt32?)] {
            let job = long(count, except: [(5..<8, OperationFate(outcome: .succeeded))], maxConcurrent: limit)
            let selection = RetrySelection(
                operations: [0..<UInt32(count)],
                includesCancelled: true,
                includesDependents: false
            )
            let retry = try #require(try Submission.retrying(job, selecting: selection))
            #expect(retry.entries.map(\.array?.count) == [count - 3])
        }
    }
}
