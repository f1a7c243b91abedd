import Testing

@_spi(Baton) @testable import BatonOperations

@Suite("Patterns of addresses")
struct AddressPatternTests {
    @Test(
        "Each form is read",
        arguments: [
            ("12", .number(JobNumber(12)), .all), ("12/*", .number(JobNumber(12)), .all), ("last", .last, .all),
            ("last/3", .last, .indices([3..<4])), ("nightly", .named("nightly"), .all),
            ("my job (2)/sepia", .named("my job (2)"), .name("sepia")), ("日本/写真", .named("日本"), .name("写真")),
            ("12/[3-9,20]", .number(JobNumber(12)), .indices([3..<10, 20..<21])),
            ("12/[7]", .number(JobNumber(12)), .indices([7..<8])),
            ("12/test-*", .number(JobNumber(12)), .pattern(NameGlob("test-*"))),
            ("12/?", .number(JobNumber(12)), .pattern(NameGlob("?"))), ("lasting", .named("lasting"), .all),
            ("2026-11-28 nightly", .named("2026-11-28 nightly"), .all), ("12a/3", .named("12a"), .indices([3..<4])),
            // A job may be called so, and there are no patterns of jobs.
            ("x[1]", .named("x[1]"), .all), ("a*b/0", .named("a*b"), .indices([0..<1])), ("a]", .named("a]"), .all),
        ] as [(String, AddressPattern.Job, AddressPattern.Part)]
    )
    func forms(text: String, job: AddressPattern.Job, part: AddressPattern.Part) throws {
        let pattern = try #require(AddressPattern(text))
        #expect(pattern.job == job && pattern.part == part)
    }

    @Test(
        "Texts of no form are refused",
        arguments: [
            "", "/", "0", "12/", "12/[", "12/[]", "12/[3-]", "12/[9-3]", "12/[a]", "12/[3,]", "12/3-9", "-1", "12/a b",
            "12/4294967295", "12/[0-4294967295]", "4294967296", "12/a/b",
        ]
    )
    func refused(text: String) {
        #expect(AddressPattern(text) == nil)
    }

    @Test("Plain parts have addresses, and no dependency is a pattern")
    func addresses() throws {
        let job = JobNumber(7)
        #expect(
            try #require(AddressPattern("last/[3-9,20]")).addresses(in: job)?.map(\.description) == ["7/[3-9]", "7/20"]
        )
        #expect(try #require(AddressPattern("nightly")).addresses(in: job) == [.job(job)])
        #expect(try #require(AddressPattern("12/t*")).addresses(in: job) == nil)
        for text in ["12/[3-9]", "last", "nightly"] { #expect(Address(text) == nil) }
        // A name may have a star in it.
        #expect(Address("12/t*") == .named(JobNumber(12), "t*"))
    }

    @Test(
        "Stars and question marks match names as a whole",
        arguments: [
            ("*", "", true), ("test-*", "test-1", true), ("test-*", "test-", true), ("test-*", "a-test-1", false),
            ("*a*b", "xaab", true), ("*a*b", "xaabc", false), ("?", "日", true), ("?", "", false), ("a?c", "abc", true),
            ("a**c", "ac", true), ("é*", "e\u{301}x", true),
            (String(repeating: "*a", count: 50), String(repeating: "a", count: 199), true),
            (String(repeating: "*a", count: 50) + "b", String(repeating: "a", count: 199), false),
        ]
    )
    func names(pattern: String, name: String, matches: Bool) {
        #expect(NameGlob(pattern).matches(Name.normalized(name)) == matches)
    }

    @Test("A job cannot have the name last, and an operation can")
    func reserved() throws {
        func submission(_ name: String?) -> Submission {
            Submission(name: name, templates: [Template(work: Work(.noOperation))], entries: [Entry(name: "last")])
        }
        let refusal = #expect(throws: Refusal.self) { try submission("last").validated() }
        #expect(refusal?.message.contains("for the newest job") == true)
        try submission(nil).validated()
    }
}
