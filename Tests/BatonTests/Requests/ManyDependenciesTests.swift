import Glibc
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import Baton

@Suite("Many dependencies of one operation")
struct ManyDependenciesTests {
    private let channel = FakeChannel()

    @Test(
        "DE11 The list keeps the order, has nothing twice, and finds what was removed no more",
        arguments: [3, 16, 17, 40]
    )
    func list(count: Int) {
        var list = DependencyList()
        let operations = (0..<count).map { _ in DistributedOperation() }
        func dependency(_ index: Int, _ condition: Baton.DependencyCondition = .any) -> OperationDependency {
            OperationDependency(target: .operation(operations[index]), condition: condition)
        }
        func append(_ dependency: OperationDependency) -> Bool { list.append(dependency) }
        func remove() -> Bool { list.remove(on: operations[1]) }
        for index in 0..<count { #expect(append(dependency(index))) }
        for index in 0..<count { #expect(!append(dependency(index))) }
        #expect(append(dependency(1, .success)))
        #expect(list.elements.count == count + 1)
        #expect(remove())
        #expect(!remove())
        #expect(list.elements == (0..<count).filter { $0 != 1 }.map { dependency($0) })
        #expect(append(dependency(1)))
        #expect(!append(dependency(1)))
        #expect(list.elements.last == dependency(1))
    }

    /// The processor time of this thread so far.
    private func processorTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// The processor time for so many dependencies of an operation before its addition, and of another one after it.
    private func time(ofDependencies count: Int) throws -> Duration {
        let cluster = channel.makeCluster()
        let queue = cluster.queue("q")
        let targets = (0..<count).map { _ in DistributedOperation() }
        let start = processorTime()
        let (early, late) = (DistributedOperation().after(targets), DistributedOperation())
        try queue.addOperations([early, late], waitUntilFinished: false)
        late.after(targets)
        #expect(early.dependencies.count == count && late.dependencies.count == count)
        while channel.accept() != nil {}
        return processorTime() - start
    }

    @Test("Dependencies cost the same each, before the addition and after it")
    func linear() throws {
        let few = try time(ofDependencies: 8_000)
        let many = try time(ofDependencies: 64_000)
        // Eight times as many; a cost that grows with the dependencies before would be 64 times as large.
        #expect(many < few * 24, "\(few) for 8,000, and \(many) for 64,000")
    }

    @Test("L6 An operation cannot be added to another coordinator while an added one waits for it, in either order")
    func twoCoordinators() throws {
        let other = FakeChannel(endpoint: "tcp://127.0.0.1:2")
        let (one, two) = (channel.makeCluster(), other.makeCluster())
        let (first, second) = (DistributedOperation(), DistributedOperation())
        second.addDependency(first)
        try one.queue("q").addOperation(second)
        channel.accept()
        let error = #expect(throws: ClusterError.self) { try two.queue("q").addOperation(first) }
        #expect(
            error?.message
                == "An operation at tcp://127.0.0.1:1 cannot depend on one at tcp://127.0.0.1:2: dependencies do not cross coordinators."
        )
        #expect(first.queue == nil && other.requests.isEmpty)
        // Without the dependency, nothing is in the way.
        second.removeDependency(first)
        while channel.accept() != nil {}
        try two.queue("q").addOperation(first)
        #expect(other.submissions.count == 1)
    }

    @Test("An operation and a job say their address, name and state")
    func descriptions() throws {
        let cluster = channel.makeCluster()
        let (operation, unnamed) = (DistributedOperation().named("parse"), DistributedOperation())
        #expect("\(operation)" == "parse: not added" && "\(unnamed)" == "operation without a name: not added")
        try cluster.queue("q").addOperations([operation, unnamed], waitUntilFinished: false)
        #expect("\(operation)" == "parse: added, without an answer")
        channel.accept()
        #expect("\(operation)" == "1/0 (parse)" && "\(unnamed)" == "1/1")
        #expect(!operation.apply(.state(.executing, outcome: nil, attempt: 1, worker: "w")))
        #expect("\(operation)" == "1/0 (parse): executing")
        #expect(!operation.apply(.state(.finished, outcome: .succeeded, attempt: 1, worker: "w")))
        #expect("\(operation)" == "1/0 (parse): succeeded")
        let job = Job(JobNumber(3), name: "thumbnails", isNew: true, cluster: cluster)
        #expect("\(job)" == "job 3 (thumbnails)")
    }
}
