import Testing

@_spi(Baton) @testable import BatonOperations

@Suite("Names of jobs")
struct JobNameTests {
    private func submission(_ name: String) -> Submission {
        Submission(
            name: name,
            queueNames: ["q"],
            templates: [Template(work: Work(.noOperation))],
            entries: [Entry()]
        )
    }

    // Such jobs could be submitted, and no command could find them by their names.
    @Test("A name that no address can have is refused", arguments: ["", "7", "-x", "a/b", "/a", "a/*"])
    func refused(name: String) {
        let refusal = #expect(throws: Refusal.self) { try submission(name).validated() }
        #expect(refusal?.message.contains("so that commands find the job by it") == true)
        var retry = submission(name)
        retry.retryOf = JobNumber(1)
        #expect(throws: Never.self) { try retry.validated() }
    }

    @Test(
        "A name that an address can have is allowed",
        arguments: ["a", "_1", "12x", "2026-11-28", "nightly build", "a[1]", "*", "東京", "a-1"]
    )
    func allowed(name: String) throws {
        try submission(name).validated()
        #expect(AddressPattern(name)?.job == .named(name))
    }
}
