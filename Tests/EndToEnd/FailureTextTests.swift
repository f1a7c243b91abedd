@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import baton_cli

@Suite("Failures as text")
struct FailureTextTests {
    private func headline(_ reason: Reason.Code, _ message: String, count: Int) -> String {
        var counts = JobCounts()
        counts.failed = count
        let group = FailuresDocument.Group(
            group: 1,
            count: count,
            kind: FailureKind(reason: reason, exitStatus: nil, signal: nil, line: ""),
            message: message,
            operations: (0..<UInt32(count)).map { OperationID(job: JobNumber(12), index: $0) },
            names: [],
            items: [],
            stderr: nil
        )
        let document = FailuresDocument(job: JobNumber(12), name: nil, counts: counts, failures: [group], more: 0)
        return FailureText(document: document).numberedLines[2]
    }

    // "1 operation used more memory than it may: It used more memory than the 1M that it asked for".
    @Test("A group says once that its operations used too much memory, or ran too long")
    func once() {
        let memory = "It used more memory than the 1M that it asked for."
        #expect(headline(.memory, memory, count: 1) == "1. 1 operation used more memory than the 1M that it asked for")
        #expect(
            headline(.memory, memory, count: 2) == "1. 2 operations used more memory than the 1M that each asked for"
        )
        let time = "It ran longer than its timeout of 20s."
        #expect(headline(.timeout, time, count: 1) == "1. 1 operation ran longer than its timeout of 20s")
        #expect(headline(.memory, "Too much.", count: 1) == "1. 1 operation used more memory than it may: Too much")
    }
}
