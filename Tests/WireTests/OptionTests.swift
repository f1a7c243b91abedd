@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonOperations
@_spi(Baton) @testable import BatonWire

@Suite struct OptionTests {
    private func bytes(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        write(&writer)
        return writer.bytes
    }

    /// Reads options; a failure is the sentence of the error.
    private func read<Owner: OptionOwner>(
        _ bytes: [UInt8],
        into owner: Owner,
        in table: OptionTable<Owner> = Owner.options
    ) -> Result<Owner, WireError> {
        bytes.withUnsafeBytes { raw in
            var reader = ByteReader(raw)
            var owner = owner
            do throws(WireError) {
                try reader.options(into: &owner, in: table)
                guard reader.remaining == 0 else { throw reader.malformed("the end", "is not the end") }
                return .success(owner)
            } catch {
                return .failure(error)
            }
        }
    }

    private func check<Owner: OptionOwner & Equatable>(_ owner: Owner, default plain: Owner) {
        let written = bytes { $0.options(of: owner, in: Owner.options) }
        #expect(read(written, into: plain) == .success(owner))
        for length in 0..<written.count {
            #expect(throws: WireError.self) { try read(Array(written.prefix(length)), into: plain).get() }
        }
    }

    @Test(arguments: 0..<3)
    func `All options come back as they went, alone and together`(choice: Int) {
        let (template, entry) = OperationOption.allSet(choosing: choice)
        let plain = Template(work: Work(.noOperation))
        check(template.work, default: Work(template.work.kind))
        check(template, default: Template(work: template.work))
        check(entry, default: Entry())
        for option in OperationOption.all {
            for sample in option.samples {
                var (template, entry) = (plain, Entry())
                option.set(sample, in: &template, &entry)
                check(template.work, default: plain.work)
                check(template, default: Template(work: template.work))
                check(entry, default: Entry())
            }
        }
    }

    @Test func `An option with its default takes no bytes`() {
        #expect(bytes { $0.options(of: Work(.noOperation), in: Work.options) } == [0])
        #expect(bytes { $0.options(of: Entry(), in: Entry.options) } == [0])
    }

    /// An option with a number that no build has.
    private func unknown(_ number: Int, mustBeKnown: Bool) -> [UInt8] {
        bytes {
            $0.varint(1)
            $0.varint(number << 1 | (mustBeKnown ? 1 : 0))
            $0.blob([1, 2, 3])
        }
    }

    @Test func `An unknown option is skipped if a reader may skip it, and refused with a sentence if not`() {
        #expect(read(unknown(1000, mustBeKnown: false), into: Entry()) == .success(Entry()))
        guard case .failure(let error) = read(unknown(1000, mustBeKnown: true), into: Entry()) else {
            Issue.record("The option was taken.")
            return
        }
        #expect(error.description.contains("has the number 1000, which this build does not know: upgrade this side"))
    }

    @Test func `A build of an older version of the option set refuses the options that it does not know`() {
        let newer = Work.options.rows.filter { $0.option.version > 1 && !$0.option.maySkip }
        let older = OptionTable<Work>(rows: Work.options.rows.filter { $0.option.version == 1 })
        for row in newer {
            var work = Work(.noOperation)
            #expect(row.set(row.option.samples[0], in: &work))
            let written = bytes { $0.options(of: work, in: Work.options) }
            #expect(throws: WireError.self) { try read(written, into: Work(.noOperation), in: older).get() }
        }
        var work = Work(.noOperation)
        work.timeout = .seconds(1)
        let written = bytes { $0.options(of: work, in: Work.options) }
        #expect(read(written, into: Work(.noOperation), in: older) == .success(work))
    }

    @Test func `An older coordinator refuses settings that it does not know, and a worker needs none`() {
        let keys = [
            "retryDelayLimit", "retryOn", "noRetryOn", "finalStatus", "timeoutUpTo", "memoryUpTo", "take", "inputNames",
        ]
        let older = OptionTable<Template>(rows: Template.options.rows.filter { !keys.contains($0.option.key) })
        let plain = Template(work: Work(.noOperation, timeout: .seconds(1)))
        for row in Template.options.rows where keys.contains(row.option.key) {
            var template = plain
            #expect(row.set(row.option.samples[0], in: &template))
            let written = bytes { $0.options(of: template, in: Template.options) }
            #expect(throws: WireError.self) { try read(written, into: plain, in: older).get() }
            #expect(template.work == plain.work && template.work.neededType == nil)
        }
    }

    @Test func `Other encodings of the same options are refused`() {
        func options(_ list: [(tag: Int, value: [UInt8])]) -> [UInt8] {
            bytes {
                $0.varint(list.count)
                for (tag, value) in list {
                    $0.varint(tag)
                    $0.blob(value)
                }
            }
        }
        // Of an entry, the priority has number 12, the hold 14 and the barrier 15.
        #expect(
            (try? read(options([(25, [8]), (29, [1])]), into: Entry()).get()) == Entry(priority: .high, isHeld: true)
        )
        for refused: [(tag: Int, value: [UInt8])] in [
            [(29, [1]), (25, [8])], [(29, [1]), (29, [1])], [(29, [0])], [(29, [2])], [(29, [])], [(29, [1, 1])],
            [(25, [0])],
            [(25, [9])], [(25, [0x88, 0])], [(28, [1])], [(24, [8])], [(1, [1])], [(0, [])], [(3, [1])],
        ] {
            #expect(throws: WireError.self, "\(refused)") { try read(options(refused), into: Entry()).get() }
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `Changed bytes are refused, or are the options of something that was written`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let (template, _) = OperationOption.allSet(choosing: Int(seed % 3))
        let original = bytes { $0.options(of: template.work, in: Work.options) }
        for _ in 0..<50 {
            var changed = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(in: 0 ... .max, using: &random)
            }
            guard case .success(let work) = read(changed, into: Work(template.work.kind)) else { continue }
            let again = bytes { $0.options(of: work, in: Work.options) }
            // Skipped options are lost.
            #expect(again == changed || again.count < changed.count)
            #expect(read(again, into: Work(template.work.kind)) == .success(work))
        }
    }
}
