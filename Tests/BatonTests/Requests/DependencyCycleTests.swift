import Synchronization
import Testing

@_spi(Baton) @testable import Baton

@Suite("DE16 DE18 Cycles that additions would close")
struct DependencyCycleTests {
    private let sample = SampleAdditions()
    private var missing: MissingAdditions { sample.cluster.missing }

    private func operations(_ count: Int) -> [DistributedOperation] {
        (0..<count).map { DistributedOperation().named("o\($0)") }
    }

    /// The path of the cycle that additions would close; nil for none.
    private func cycle(_ operations: [DistributedOperation]) -> [String]? {
        do throws(ClusterError) {
            try DependencyCycle.refuse(adding: operations, missing: missing)
            return nil
        } catch {
            #expect(error.code == .cycle)
            #expect(error.message.contains(error.path.joined(separator: " -> ")))
            return error.path
        }
    }

    @Test("DE18 An operation that depends on itself", arguments: [1, 3])
    func itself(_ count: Int) {
        let all = operations(count)
        all[count - 1].addDependency(all[count - 1])
        #expect(cycle(all) == ["o\(count - 1)", "o\(count - 1)"])
    }

    @Test("A ring has its path, from any place on", arguments: [2, 3, 10])
    func ring(_ length: Int) throws {
        let all = operations(length + 2)
        // One leads into the ring, and the ring leads to another one, which are not part of the path.
        all[0].addDependency(all[1])
        for number in 1...length { all[number].addDependency(all[number % length + 1]) }
        all[1].addDependency(all[length + 1])
        let path = try #require(cycle(all))
        #expect(path.count == length + 1 && path.first == path.last)
        #expect(Set(path) == Set((1...length).map { "o\($0)" }))
        let begin = try #require(path.first.flatMap { Int($0.dropFirst()) })
        #expect(path == (0...length).map { "o\((begin - 1 + $0) % length + 1)" })
        all[length].removeDependency(all[1])
        #expect(cycle(all) == nil)
    }

    @Test("Operations without a name are told by their positions")
    func labels() {
        let all = [DistributedOperation(), DistributedOperation().named("b"), DistributedOperation()]
        all[1].addDependency(all[2])
        all[2].addDependency(all[1])
        #expect(cycle(all) == ["b", "#2", "b"])
    }

    @Test("Several ways to one operation are no cycle")
    func diamond() {
        let all = operations(4)
        for (operation, target) in [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)] {
            all[operation].addDependency(all[target])
        }
        #expect(cycle(all) == nil)
        all[3].addDependency(all[2])
        #expect(cycle(all)?.count == 3)
    }

    @Test("DE19 A long chain needs no stack, and its last link may close it")
    func chain() {
        let all = (0..<100_000).map { _ in DistributedOperation() }
        for (earlier, later) in zip(all, all.dropFirst()) { later.addDependency(earlier) }
        #expect(cycle(all) == nil)
        all[0].addDependency(all[99_999])
        #expect(cycle(all)?.count == 100_001)
        all[0].removeDependency(all[99_999])
    }

    @Test("L6 An addition closes a cycle through earlier ones that wait for it or are on their way")
    func earlier() {
        let all = operations(4)
        for number in 0..<3 { all[number].addDependency(all[number + 1]) }
        for operation in all.prefix(3) {
            #expect(cycle([operation]) == nil)
            operation.status.withLock { $0.place = .sent(sample.queue) }
            operation.expectDependencies(in: sample.cluster)
        }
        #expect(missing.isExpected(all[3]))
        all[3].addDependency(all[0])
        #expect(cycle([all[3]]) == ["o3", "o0", "o1", "o2", "o3"])
        // The same where they are in the cluster, and held for the addition.
        for (number, operation) in all.prefix(3).enumerated() {
            sample.place(operation, at: UInt32(number + 1))
            missing.note(operation, waitsFor: operation.status.withLock(\.dependencies))
        }
        #expect(cycle([all[3]]) == ["o3", "o0", "o1", "o2", "o3"])
        // The coordinator has what an operation depends on that waits for no addition any more, and would refuse the last one too late.
        missing.withdrawn(all[1])
        #expect(cycle([all[3]]) == ["o3", "o0", "o1", "o2", "o3"])
        all[1].withdraw(asBarrier: false)
        #expect(cycle([all[3]]) == nil, "it is not added any more")
    }

    @Test("L6 Operations that have not been added are no part of a cycle yet")
    func notAdded() {
        let (first, second) = (DistributedOperation(), DistributedOperation())
        first.addDependency(second)
        second.addDependency(first)
        #expect(cycle([first]) == nil)
        first.status.withLock { $0.place = .waiting(sample.queue) }
        first.expectDependencies(in: sample.cluster)
        #expect(cycle([second])?.count == 3)
        #expect(cycle([second, DistributedOperation()])?.count == 3)
        second.removeDependency(first)
        #expect(cycle([second]) == nil)
    }
}
