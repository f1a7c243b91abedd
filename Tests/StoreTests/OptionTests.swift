@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonStore

@Suite("Options in the record", .timeLimit(.minutes(60)))
struct OptionTests {
    @Test("Each option is kept", arguments: OperationOption.all.map(\.key))
    func keepsOption(_ key: String) throws {
        let option = try #require(OperationOption.all.first { $0.key == key })
        let test = try TestStore()
        for (number, sample) in zip(UInt32(1)..., option.samples) {
            var job = JobRecord(number, [Entry()])
            option.set(sample, in: &job.submission.templates[0], &job.submission.entries[0])
            try test.store.commit([.job(job)])
            #expect(try test.store.restoredJob(job.number)?.job.submission == job.submission)
            let stored = try #require(try test.store.operations(of: job.number, from: 0, limit: 1).first)
            #expect(option.value(in: stored.template, stored.entry) == sample)
        }
    }

    @Test("All options together are kept", arguments: 0..<3)
    func keepsAll(_ choice: Int) throws {
        let test = try TestStore()
        let (template, entry) = OperationOption.allSet(choosing: choice)
        var job = JobRecord(1, [entry])
        job.submission.templates = [template]
        try test.store.commit([.job(job)])
        #expect(try test.store.restoredJob(job.number)?.job.submission == job.submission)
    }

    private func read(_ text: String) throws(SQLError) -> Template {
        var template = Template(work: Work(.noOperation))
        try OptionText.read(text, into: &template)
        return template
    }

    @Test("An unknown option is left out if it may be, and damage if not")
    func unknownOptions() throws {
        #expect(try read(#"{"colour?":{"red":[1,"x"]},"retries":2}"#).retries == 2)
        let error = #expect(throws: SQLError.self) { try read(#"{"colour":1}"#) }
        #expect(error?.message.contains(#"the option "colour", which this version of Baton does not know"#) == true)
        for text in ["", "[]", "{", #"{"retries"}"#, #"{"retries?":1,"retries":1}"#, #"{"retries":1.5}"#, "7"] {
            #expect(throws: SQLError.self) { try read(text) }
        }
    }

    @Test("Values that no version wrote are damage, whatever the option", arguments: OperationOption.all.map(\.key))
    func refusesStrangeValues(key: String) throws {
        let isOfEntry = Entry.options.row(named: key) != nil
        for value in [
            #"[]"#, #"[1]"#, #"{"a":1}"#, "-1", "99999999999999999999", #""\n""#, "null", "7",
            "9223372036854775807", #"[""]"#, #"{"":"x"}"#, #"{"A=B":"x"}"#, #""99999d""#,
        ] {
            let text = "{\"\(key)\":\(value)}"
            do {
                var (template, entry) = (Template(work: Work(.noOperation)), Entry())
                if isOfEntry {
                    try OptionText.read(text, into: &entry)
                } else {
                    try OptionText.read(text, into: &template)
                }
                // A value that is accepted would also be accepted in a submission.
                let option = try #require(OperationOption.all.first { $0.key == key })
                let read = option.value(in: template, entry) ?? option.defaultValue
                #expect(read.map { option.form.objection(to: $0) == nil } ?? true)
            } catch {
                #expect(error is SQLError)
            }
        }
    }
}
