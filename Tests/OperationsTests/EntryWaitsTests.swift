@_spi(Baton) import BatonOperations
import Testing

@Suite("The waits of entries")
struct EntryWaitsTests {
    @Test("An entry waits for its dependencies in the submission")
    func dependencies() {
        let job = Dependency(on: .existing(.job(JobNumber(1))))
        let entries = [
            Entry(), Entry(dependencies: [Dependency(on: .entry(2)), job, Dependency(on: .entry(0))]), Entry(),
        ]
        let waits = EntryWaits(entries)
        #expect(entries.indices.map { Array(waits[$0]) } == [[], [2, 0], []])
    }

    @Test("An entry that is finished from the start waits for no barrier, and no barrier for it")
    func finished() {
        let entries = [
            Entry(), Entry(isBarrier: true, dependencies: [Dependency(on: .entry(2))]), Entry(), Entry(),
            Entry(isBarrier: true),
        ]
        let waits = EntryWaits(entries, finished: 2)
        #expect(entries.indices.map { Array(waits[$0]) } == [[], [2, 0], [], [1], [1, 3]])
    }

    @Test("BA1 BA2 A barrier waits for the entries of its queue before it, and later entries wait for the last barrier")
    func barriers() {
        let entries = [
            Entry(), Entry(queue: 1), Entry(dependencies: [Dependency(on: .entry(1))], array: .lines(["x"])),
            Entry(isBarrier: true), Entry(queue: 1), Entry(dependencies: [Dependency(on: .entry(0))]),
            Entry(isBarrier: true), Entry(isBarrier: true), Entry(queue: 1, isBarrier: true),
        ]
        let waits = EntryWaits(entries)
        #expect(
            entries.indices.map { Array(waits[$0]) } == [[], [], [1], [0, 2], [], [0, 3], [3, 5], [6], [1, 4]]
        )
    }
}
