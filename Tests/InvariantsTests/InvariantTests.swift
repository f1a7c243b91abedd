@_spi(Baton) import BatonInvariants
import Testing

@Suite("Invariants") struct InvariantTests {
    @Test("An invariant that holds does not evaluate its message")
    func holds() {
        var isEvaluated = false
        func message() -> String {
            isEvaluated = true
            return ""
        }
        invariant(true, message())
        #expect(!isEvaluated)
    }

    @Test("A violated invariant ends the process with status 70 and one line on standard error")
    func fails() async throws {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            invariant(1 + 1 == 3, "One and one\nare two.")
        }
        let line = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(line.contains("baton: internal error: One and one are two. (InvariantsTests/InvariantTests.swift:"))
        #expect(line.split(separator: "\n").count { $0.contains("internal error") } == 1)
    }
}
