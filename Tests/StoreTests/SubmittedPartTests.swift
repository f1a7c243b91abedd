@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing

@Suite("Jobs as submitted, in parts, of every store", .timeLimit(.minutes(60)))
struct SubmittedPartTests {
    /// Reads a job in parts, and joins the parts of arrays.
    private static func entries(of test: TestStore, limit: Int) throws -> [SubmittedEntry] {
        var joined: [SubmittedEntry] = []
        var next: UInt32? = 0
        while let index = next {
            let part = try #require(try test.store.submittedPart(of: JobNumber(1), from: index, limit: limit))
            try #require(!part.entries.isEmpty && part.next.map { $0 > index } != false)
            for entry in part.entries {
                guard entry.position > 0, var whole = joined.popLast() else {
                    joined.append(entry)
                    continue
                }
                #expect(entry.first == whole.first && Int(entry.position) == whole.entry.array?.count)
                switch (whole.entry.array, entry.entry.array) {
                case (.lines(let earlier)?, .lines(let later)?): whole.entry.array = .lines(earlier + later)
                case (.picked(let earlier)?, .picked(let later)?): whole.entry.array = .picked(earlier + later)
                default: Issue.record("the part at \(index) does not continue the array before it")
                }
                joined.append(whole)
            }
            next = part.next
        }
        return joined
    }

    @Test("A job read in parts of any size is the job as submitted", arguments: StoreKind.engines)
    func parts(_ kind: StoreKind) throws {
        for seed in UInt64(1)...20 {
            var random = SplitMix(seed: seed)
            let test = try TestStore(kind)
            var entries: [Entry] = []
            for position in 0..<Int.random(in: 1...12, using: &random) {
                let name = random.chance(50) ? "n\(position)" : nil
                var entry = Entry(name: name, priority: random.pick([.low, .normal]))
                if random.chance(40) { entry.array = random.array() }
                for earlier in 0..<position where random.chance(20) {
                    entry.dependencies.append(Dependency(on: .entry(earlier), condition: .success))
                }
                if random.chance(10) { entry.dependencies.append(Dependency(on: .existing(.job(JobNumber(7))))) }
                entries.append(entry)
            }
            let job = JobRecord(1, entries)
            try test.store.commit([.job(job)])
            for limit in [1, 7, 100, 5000] {
                let read = try Self.entries(of: test, limit: limit)
                #expect(read.map(\.entry.array) == entries.map(\.array), "seed \(seed), limit \(limit)")
                #expect(read.map(\.entry.name) == entries.map(\.name), "seed \(seed), limit \(limit)")
                #expect(read.map(\.entry.priority) == entries.map(\.priority), "seed \(seed), limit \(limit)")
                let firsts = entries.indices.map { UInt32(entries[..<$0].reduce(0) { $0 + $1.count }) }
                #expect(read.map(\.first) == firsts, "seed \(seed), limit \(limit)")
                let expected = entries.map { entry in
                    entry.dependencies.map { dependency -> SubmittedEntry.Dependency in
                        switch dependency.target {
                        case .existing(let address): .init(.existing(address), dependency.condition)
                        case .existingElements(let address): .init(.existingElements(address), dependency.condition)
                        case .element: preconditionFailure("an accepted submission has the address of an element")
                        case .elements(let target):
                            .init(.elements(firsts[target], name: entries[target].name), dependency.condition)
                        case .entry(let target):
                            .init(.entry(firsts[target], name: entries[target].name), dependency.condition)
                        }
                    }
                }
                #expect(read.map(\.dependencies) == expected, "seed \(seed), limit \(limit)")
            }
        }
    }

    @Test("A missing job has no parts", arguments: StoreKind.engines)
    func missing(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        #expect(try test.store.submittedPart(of: JobNumber(3), from: 0, limit: 10) == nil)
    }
}
