import Testing

@_spi(Baton) @testable import BatonProcesses

@Suite("The queue of launches")
struct LaunchQueueTests {
    @Test(
        "Launches come in the order of their requests, whatever is taken or called off between",
        arguments: [1, 2, 3, 64, 65, 200]
    )
    func order(count: Int) throws {
        let specification = ProcessSpecification(arguments: ["true"], environment: try ProcessEnvironment([:]))
        var queue = LaunchQueue()
        var expected: [UInt64] = []
        var taken: [UInt64] = []
        func append(_ tokens: Range<Int>) {
            for token in tokens {
                queue.append(LaunchQueue.Launch(token: UInt64(token), specification: specification))
                expected.append(UInt64(token))
            }
        }
        for round in 0..<3 {
            let first = round * 3 * count
            append(first..<first + count)
            for _ in 0..<count / 2 {
                if let launch = queue.popFirst() { taken.append(launch.token) }
            }
            append(first + count..<first + 2 * count)
            let calledOff = UInt64(first + 2 * count - 1)
            let removed = queue.remove(token: calledOff)
            #expect(removed?.token == calledOff)
            expected.removeAll { $0 == calledOff }
            append(first + 2 * count..<first + 3 * count)
            while let launch = queue.popFirst() { taken.append(launch.token) }
            #expect(queue.isEmpty)
        }
        #expect(taken == expected)
    }
}
