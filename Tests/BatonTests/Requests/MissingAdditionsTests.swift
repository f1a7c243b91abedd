import Testing

@_spi(Baton) @testable import Baton

@Suite("L6 Additions that others wait for")
struct MissingAdditionsTests {
    private let missing = MissingAdditions()
    private let operation = DistributedOperation()
    private let targets = (0..<3).map { _ in DistributedOperation() }

    private func dependency(
        on target: DistributedOperation,
        _ condition: Baton.DependencyCondition = .any
    ) -> OperationDependency {
        OperationDependency(target: .operation(target), condition: condition)
    }

    private func note(_ targets: [DistributedOperation]) {
        missing.note(operation, waitsFor: targets.map { dependency(on: $0) })
    }

    @Test("An operation is completed by the last addition, in any order, with its dependencies in theirs")
    func last() {
        missing.note(
            operation,
            waitsFor: [
                dependency(on: targets[0], .failure), dependency(on: targets[1]), dependency(on: targets[2], .success),
            ]
        )
        #expect(missing.added(targets[2]).isEmpty && missing.added(DistributedOperation()).isEmpty)
        #expect(missing.missing(for: operation) == [targets[0], targets[1]])
        #expect(missing.added(targets[0]).isEmpty)
        #expect(missing.isWaiting(operation))
        let completed = missing.added(targets[1])
        #expect(completed.map(\.operation) == [operation])
        #expect(completed.first?.dependencies.map(\.operation) == targets)
        #expect(completed.first?.dependencies.map(\.condition) == [.failure, .any, .success])
        #expect(!missing.isWaiting(operation) && missing.missing(for: operation).isEmpty)
        #expect(missing.added(targets[1]).isEmpty, "only once")
    }

    @Test("DE11 The same dependency twice is one, and two conditions are two dependencies on one addition")
    func twice() {
        note([targets[0]])
        note([targets[0]])
        missing.note(operation, waitsFor: [dependency(on: targets[0], .success)])
        #expect(missing.added(targets[0]).first?.dependencies.map(\.condition) == [.any, .success])
    }

    @Test("Dependencies that are noted later join the earlier ones")
    func later() {
        note([targets[0]])
        note([targets[1]])
        #expect(missing.added(targets[0]).isEmpty)
        note([targets[2]])
        #expect(missing.added(targets[1]).isEmpty)
        #expect(missing.added(targets[2]).first?.dependencies.count == 3)
    }

    @Test("One addition completes all that wait for it alone")
    func several() {
        let dependents = (0..<5).map { _ in DistributedOperation() }
        for dependent in dependents { missing.note(dependent, waitsFor: [dependency(on: targets[0])]) }
        missing.note(operation, waitsFor: [dependency(on: targets[0]), dependency(on: targets[1])])
        #expect(Set(missing.added(targets[0]).map(\.operation)) == Set(dependents))
        #expect(missing.added(targets[1]).map(\.operation) == [operation])
    }

    @Test("DE12 DE13 The removal of the last missing dependency completes the operation with the others")
    func removal() {
        note(targets)
        #expect(missing.remove(DistributedOperation(), from: operation) == nil)
        #expect(missing.remove(targets[0], from: DistributedOperation()) == nil)
        #expect(missing.added(targets[0]).isEmpty)
        #expect(missing.remove(targets[0], from: operation) == nil, "it is not missing any more")
        #expect(missing.remove(targets[1], from: operation) == nil)
        #expect(missing.added(targets[1]).isEmpty)
        let completed = missing.remove(targets[2], from: operation)
        #expect(completed?.operation == operation)
        #expect(completed?.dependencies.map(\.operation) == [targets[0]])
        #expect(missing.added(targets[2]).isEmpty && !missing.isWaiting(operation))
    }

    @Test("An operation whose addition was taken back waits for nothing; one that waits for it goes on waiting")
    func withdrawal() {
        note([targets[0]])
        missing.note(targets[0], waitsFor: [dependency(on: targets[1])])
        missing.withdrawn(targets[0])
        #expect(!missing.isWaiting(targets[0]) && missing.isWaiting(operation))
        #expect(missing.added(targets[1]).isEmpty)
        // The object may be added again.
        #expect(missing.added(targets[0]).map(\.operation) == [operation])
        missing.withdrawn(targets[2])
    }

    @Test("A refused operation ends the waits of those that depend on it, whatever else they wait for")
    func refusal() {
        let dependents = (0..<3).map { _ in DistributedOperation() }
        for dependent in dependents {
            missing.note(dependent, waitsFor: [dependency(on: targets[0]), dependency(on: targets[1])])
        }
        missing.note(operation, waitsFor: [dependency(on: targets[1])])
        missing.note(targets[0], waitsFor: [dependency(on: targets[1])])
        missing.expect(targets[0])
        #expect(Set(missing.refused(targets[0])) == Set(dependents))
        #expect(missing.refused(targets[0]).isEmpty)
        #expect(dependents.allSatisfy { !missing.isWaiting($0) } && !missing.isWaiting(targets[0]))
        #expect(!missing.isExpected(targets[0]))
        #expect(missing.added(targets[1]).map(\.operation) == [operation])
    }

    @Test("What was added through another cluster object is found by a second look")
    func elsewhere() {
        let sample = SampleAdditions()
        note([targets[0], targets[1]])
        #expect(missing.resolved(operation) == nil)
        sample.place(targets[0], at: 1)
        #expect(missing.resolved(operation) == nil)
        #expect(missing.missing(for: operation) == [targets[1]])
        sample.place(targets[1], at: 2)
        #expect(missing.resolved(operation)?.dependencies.map(\.operation) == [targets[0], targets[1]])
        #expect(missing.added(targets[0]).isEmpty && missing.resolved(operation) == nil)
    }

    @Test("An operation is expected until it is added")
    func expected() {
        #expect(!missing.isExpected(targets[0]))
        missing.expect(targets[0])
        missing.expect(targets[0])
        #expect(missing.isExpected(targets[0]) && !missing.isExpected(targets[1]))
        _ = missing.added(targets[0])
        #expect(!missing.isExpected(targets[0]))
    }

    @Test("L9 Objects stay as long as something waits, and no longer")
    func memory() {
        weak var waiting: DistributedOperation?
        weak var target: DistributedOperation?
        do {
            let (operation, other) = (DistributedOperation(), DistributedOperation())
            (waiting, target) = (operation, other)
            missing.note(operation, waitsFor: [dependency(on: other)])
        }
        #expect(waiting != nil && target != nil)
        if let target { _ = missing.added(target) }
        #expect(waiting == nil && target == nil)
    }
}
