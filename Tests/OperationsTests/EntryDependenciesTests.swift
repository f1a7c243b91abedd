@_spi(Baton) import BatonOperations
import Testing

@Suite("Dependencies of an entry")
struct EntryDependenciesTests {
    private let near = Dependency(on: .entry(3), condition: .success)
    private let other = Dependency(on: .entry(0))
    private let far = Dependency(on: .existing(.job(JobNumber(7))), condition: .failure)
    private let beyond = Dependency(on: .entry(Int(Int32.max) + 1))

    @Test("The dependencies of an entry keep their values and their order, however many there are")
    func dependenciesEntryKeepTheir() {
        for list in [
            [], [near], [near, other], [near, other, near], [far], [near, far], [beyond], [near, beyond, far, other],
        ] {
            let dependencies = EntryDependencies(list)
            #expect(Array(dependencies) == list)
            #expect(dependencies.count == list.count)
            var appended = EntryDependencies()
            for dependency in list { appended.append(dependency) }
            #expect(appended == dependencies)
            #expect(appended.hashValue == dependencies.hashValue)
        }
    }

    @Test("Changed dependencies of an entry equal newly made ones with the same values")
    func changedDependenciesEntryEqual() {
        var changed: EntryDependencies = [far, near]
        changed[0] = other
        #expect(changed == [other, near])
        changed[1].condition = .failure
        #expect(changed == [other, Dependency(on: .entry(3), condition: .failure)])

        var shortened: EntryDependencies = [near, other, near, far]
        shortened[3] = other
        shortened[0].target = .entry(5)
        shortened.removeAll { $0 == other }
        #expect(shortened == [Dependency(on: .entry(5), condition: .success), near])
        shortened.removeAll()
        #expect(shortened == EntryDependencies())
    }

    @Test("A list of 200,000 dependencies is made and changed within the time limit", .timeLimit(.minutes(60)))
    func list200000Dependencies() {
        var dependencies = EntryDependencies()
        for position in 0..<200_000 { dependencies.append(Dependency(on: .entry(position))) }
        for position in dependencies.indices { dependencies[position].target = .entry(position + 1) }
        #expect(dependencies.last == Dependency(on: .entry(200_000)))
    }

    @Test("An entry takes no more than 80 bytes")
    func entryTakesNoMore() {
        #expect(MemoryLayout<Entry>.stride <= 80)
    }
}
