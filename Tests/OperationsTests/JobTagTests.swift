@_spi(Baton) import BatonOperations
import Testing

@Suite("Tags of jobs")
struct JobTagTests {
    @Test("A tag is a key with a value; the value may have anything that can be seen")
    func read() throws {
        #expect(try JobTag("project=x") == JobTag(key: "project", value: "x"))
        #expect(try JobTag("_a.b-c=1=2 / é") == JobTag(key: "_a.b-c", value: "1=2 / é"))
        #expect(try JobTag("caf\u{65}\u{301}=\u{65}\u{301}").key.utf8.count == 5)
        #expect(try Array(JobTag("a=\u{65}\u{301}").value.utf8) == Array("é".utf8))
    }

    @Test(
        "Other texts are refused, with the rule",
        arguments: [
            ("project", "is not a tag: a tag has the form key=value"), ("=x", "The key \"\" of a tag"),
            ("1=x", "The key \"1\""), ("a b=x", "The key \"a b\""), ("a/b=x", "The key"), ("a=", "from 1 to 200 bytes"),
            (String(repeating: "a", count: 65) + "=x", "at most 64 bytes"),
            ("a=" + String(repeating: "x", count: 201), "from 1 to 200 bytes"), ("a=x\u{202E}", "U+202E"),
            ("a=x\ny", "U+000A"),
        ]
    )
    func refused(text: String, sentence: String) {
        do {
            _ = try JobTag(text)
            Issue.record("\(text) is taken")
        } catch {
            #expect(error.code == .invalid && error.message.contains(sentence), "\(error)")
        }
    }

    @Test("A submission has at most 32 tags, and its digest depends on them")
    func submission() throws {
        var submission = Submission(templates: [Template(work: Work(.noOperation))], entries: [Entry()])
        let plain = submission.digest
        submission.settings.maxFailures = 2
        let limited = submission.digest
        submission.settings.cancelRunning = true
        try submission.validated()
        #expect(submission.digest != limited)
        submission.settings.maxFailures = nil
        #expect(throws: Refusal.self) { try submission.validated() }
        submission.settings.maxFailures = 2
        submission.settings.cancelRunning = false
        submission.settings.tags = Dictionary(uniqueKeysWithValues: (1...32).map { ("k\($0)", "v") })
        try submission.validated()
        #expect(Set([plain, limited, submission.digest]).count == 3)
        submission.settings.tags["one-more"] = "v"
        #expect(throws: Refusal.self) { try submission.validated() }
        submission.settings.tags = ["a": ""]
        #expect(throws: Refusal.self) { try submission.validated() }
    }
}
