@_spi(Baton) import BatonOperations
import Testing

@Suite("Paths in refusals") struct RefusalPathTests {
    @Test("A path of up to twelve steps is written in full")
    func pathUpTwelveSteps() {
        #expect(Refusal.text(ofPath: []) == "")
        #expect(Refusal.text(ofPath: ["a", "b", "a"]) == "a -> b -> a")
        let twelve = (1...12).map(String.init)
        #expect(Refusal.text(ofPath: twelve) == twelve.joined(separator: " -> "))
    }

    @Test("A long path is written with its beginning, its end and the number of steps between them")
    func longPathWrittenBeginning() throws {
        let path = (1...1000).map(String.init) + ["1"]
        let text = "1 -> 2 -> 3 -> 4 -> 5 -> 6 -> ... (989 more) ... -> 996 -> 997 -> 998 -> 999 -> 1000 -> 1"
        #expect(Refusal.text(ofPath: path) == text)

        // The refusal has the complete path beside the sentence.
        let entries = (0..<1000).map { Entry(dependencies: [Dependency(on: .entry(($0 + 1) % 1000))]) }
        let submission = Submission(templates: [Template(work: Work(.noOperation))], entries: entries)
        let refusal = try #require(throws: Refusal.self) { try submission.validated() }
        #expect(refusal.path.count == 1001)
        #expect(refusal.message.contains("(989 more)") && refusal.message.count < 300, "\(refusal)")
    }
}
