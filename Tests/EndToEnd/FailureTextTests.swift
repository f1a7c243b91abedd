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

    private func document(
        _ job: UInt32,
        isOpen: Bool = false,
        _ kinds: (line: String, status: Int32, count: UInt32)...
    ) -> FailuresDocument {
        var counts = JobCounts()
        counts.failed = kinds.reduce(0) { $0 + Int($1.count) }
        let groups = kinds.enumerated().map { number, kind in
            FailuresDocument.Group(
                group: number + 1,
                count: Int(kind.count),
                kind: FailureKind(reason: .exit, exitStatus: kind.status, signal: nil, line: kind.line),
                message: nil,
                operations: (0..<min(kind.count, 10)).map { OperationID(job: JobNumber(job), index: $0) },
                names: Array(repeating: nil, count: Int(min(kind.count, 10))),
                items: Array(repeating: nil, count: Int(min(kind.count, 10))),
                stderr: kind.line
            )
        }
        return FailuresDocument(
            job: JobNumber(job),
            name: nil,
            isOpen: isOpen,
            counts: counts,
            failures: groups,
            more: 0
        )
    }

    @Test("Failures of several jobs that are alike are in one group, the largest group first")
    func joint() {
        let documents = [
            document(1, ("full", 1, 2), ("bad", 3, 1)), document(2), document(4, isOpen: true, ("bad", 3, 12)),
        ]
        let text = JointFailuresText(documents: documents)
        #expect(
            text.lines == [
                "15 operations of 2 jobs failed in 2 ways. 1 of the jobs is not finished.", "",
                "1. 13 operations exited with status 3",
                "   1/0, 4/0, 4/1, 4/2, 4/3, 4/4, 4/5, 4/6, 4/7, 4/8 and 3 more", "     bad", "",
                "2. 2 operations exited with status 1", "   1/0, 1/1", "     full", "",
                "Retry: baton retry 1",
            ]
        )
        #expect(text.more == 0)
        let limited = JointFailuresText(documents: documents, limit: 1)
        #expect(limited.more == 1 && limited.lines.count == 7)
        let alike = JointFailuresText(documents: [document(7, ("x", 2, 1)), document(9, ("x", 2, 1))])
        #expect(alike.lines.first == "2 operations of 2 jobs failed, all alike.")
        #expect(alike.lines.last == "Retry: baton retry 7 9")
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
