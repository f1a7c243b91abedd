@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonOperations

@Suite struct OperationOptionTests {
    @Test func `The list of options is that of the table, whose members are named after their keys`() {
        let members = Mirror(reflecting: OptionDeclarations.shared).children.compactMap(\.label)
        #expect(OperationOption.all.map(\.key) == members)
    }

    @Test func `Numbers, keys and names are given once, and stay what they are`() {
        let options = OperationOption.all.sorted { $0.number < $1.number }
        #expect(Set(options.map(\.number)).count == options.count && options.allSatisfy { $0.number > 0 })
        #expect(Set(options.map(\.key)).count == options.count && Set(options.map(\.name)).count == options.count)
        let keys = [
            1: "env", 2: "cwd", 3: "stdin", 4: "timeout", 5: "grace", 7: "retries", 8: "retryDelay", 9: "restart",
            10: "qos", 11: "onFinish", 12: "priority", 13: "delay", 14: "hold", 15: "barrier",
        ]
        for (number, key) in keys { #expect(options.first { $0.number == number }?.key == key) }
        #expect(options.allSatisfy { !$0.noun.isEmpty && $0.version >= 1 })
        #expect(OperationOption.onCommandLine.allSatisfy { !$0.help.isEmpty })
        #expect(OperationOption.onCommandLine.allSatisfy { $0.form == .flag || !$0.valueName.isEmpty })
        #expect(Work.options.rows.count + Template.options.rows.count + Entry.options.rows.count == options.count)
        let names = OperationOption.all.map(\.name)
        #expect(names.contains("retry-delay") && names.contains("on-finish") && names.contains("qos"))
    }

    @Test(arguments: OperationOption.all.map(\.key))
    func `Each option is stored, and returns to its default`(key: String) throws {
        let option = try #require(OperationOption.all.first { $0.key == key })
        let (plain, blank) = (Template(work: Work(.noOperation)), Entry())
        #expect(option.value(in: plain, blank) == nil)
        #expect(!option.samples.isEmpty)
        for sample in option.samples {
            var (template, entry) = (plain, blank)
            #expect(option.form.objection(to: sample) == nil)
            #expect(option.set(sample, in: &template, &entry))
            #expect(option.value(in: template, entry) == sample)
            #expect((template, entry) != (plain, blank))
            #expect(entry.hasDefaultOptions == (entry == blank), "the quick look knows \(key)")
            // No other option changes.
            for other in OperationOption.all where other.key != key { #expect(other.value(in: template, entry) == nil) }
            #expect(option.set(option.defaultValue, in: &template, &entry))
            #expect((template, entry) == (plain, blank))
        }
    }

    @Test(arguments: OperationOption.all.map(\.key))
    func `Each option refuses values of another type and outside the range`(key: String) throws {
        let option = try #require(OperationOption.all.first { $0.key == key })
        var (template, entry) = (Template(work: Work(.noOperation)), Entry())
        let types: [OptionValue] = [
            .flag(true), .number(1), .duration(.seconds(1)), .forever, .text("x"), .texts(["x"]),
            .variables(["x": "y"]),
        ]
        let strange = types.filter { option.form.objection(to: $0) != nil }
        #expect(strange.count >= 5)
        for value in strange { #expect(option.form.objection(to: value)?.isEmpty == false) }
        for value in [OptionValue.number(.max), .number(.min)] {
            #expect(option.form.objection(to: value) != nil)
            #expect(!option.set(value, in: &template, &entry))
        }
        #expect((template, entry) == (Template(work: Work(.noOperation)), Entry()))
    }

    @Test(arguments: OperationOption.all.map(\.key))
    func `Each option counts in the digest, and a submission with it is valid`(key: String) throws {
        let option = try #require(OperationOption.all.first { $0.key == key })
        func submission(_ value: OptionValue?) -> Submission {
            var (template, entry) = (Template(work: Work(.commands([["true"]]))), Entry())
            if key == "inputs" { template.work.workspace = .fresh }
            if key == "copies" { template.work.outputs = ["a"] }
            if key == "maxConcurrent" { entry.array = .lines(["a", "b"]) }
            // The end of a range needs its beginning.
            let begin = OperationOption.all.first { $0.rangeEnd === option }
            if let begin { begin.set(begin.samples[0], in: &template, &entry) }
            if let value { option.set(value, in: &template, &entry) }
            return Submission(templates: [template], entries: [entry])
        }
        let digests = try ([nil] + option.samples).map { value in
            try submission(value).validated()
            return submission(value).digest
        }
        #expect(Set(digests).count == digests.count)
    }

    @Test func `D13 The digest of the options of the beginning is that of older versions`() {
        var (template, entry) = (Template(work: Work(.commands([["true", "x"]]))), Entry(name: "a"))
        let plain = Submission(name: "n", templates: [template], entries: [entry])
        for option in OperationOption.all where option.version == 1 {
            option.set(option.samples.last, in: &template, &entry)
        }
        let full = Submission(name: "n", templates: [template], entries: [entry])
        #expect([plain.digest, full.digest] == [2_517_199_808_306_613_538, 13_893_367_918_748_080_442])
    }

    @Test func `RT4 The end of a range is above its beginning, and has one`() throws {
        #expect(OperationOption.all.filter { $0.rangeEnd != nil }.map(\.key) == ["timeout", "memory"])
        #expect(OperationOption.all.filter(\.isRangeEnd).map(\.key) == ["timeoutUpTo", "memoryUpTo"])
        #expect(OperationOption.onCommandLine.allSatisfy { !$0.isRangeEnd })
        func message(_ change: (inout Template) -> Void) -> String? {
            var template = Template(work: Work(.noOperation))
            change(&template)
            do throws(Refusal) {
                try Submission(templates: [template], entries: [Entry()]).validated()
                return nil
            } catch {
                return error.message
            }
        }
        #expect(
            message { $0.memoryUpTo = 1 << 30 }
                == "The range of the memory ends at 1G and has no beginning. Give the memory of the first attempt, too."
        )
        #expect(
            message {
                $0.work.timeout = .seconds(7200)
                $0.timeoutUpTo = .seconds(3600)
            } == "The range of the timeout ends at 1h, which is below its beginning. Give a larger end, or none."
        )
        #expect(
            message {
                $0.work.memory = 1 << 30
                $0.memoryUpTo = 1 << 30
            } == nil
        )
    }

    @Test func `The sentence of a refusal names the option`() throws {
        func refusal(_ change: (inout Template, inout Entry) -> Void) -> String? {
            var (template, entry) = (Template(work: Work(.noOperation)), Entry(name: "a"))
            change(&template, &entry)
            let submission = Submission(templates: [template], entries: [entry])
            do {
                try submission.validated()
                return nil
            } catch {
                return error.message
            }
        }
        #expect(
            refusal { template, _ in template.work.timeout = .zero }
                == "The timeout is 0s: a timeout has to be above zero; leave it out for no bound."
        )
        #expect(
            refusal { template, _ in template.work.environment = ["A=B": ""] }
                == "The environment has \"A=B\", which is not a name for an environment variable."
        )
        #expect(
            refusal { _, entry in entry.delay = .seconds(-1) } == "The delay of a is negative or above 10000 days."
        )
    }

    @Test func `A work of options of the beginning needs version 1, and no type`() {
        let (template, _) = OperationOption.allSet()
        var work = template.work
        for option in Work.options.rows where option.option.version > 1 {
            var whole = Template(work: work)
            var entry = Entry()
            option.option.set(nil, in: &whole, &entry)
            work = whole.work
        }
        #expect(work.neededOptionVersion == 1 && work.neededType == nil)
        work.kind = .typed(type: "resize", argument: [])
        #expect(work.neededType == "resize")
    }
}
