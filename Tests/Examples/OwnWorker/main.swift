import Baton
import Foundation

// OwnWorker LIMIT                         counts the primes below a number
//
// The program asks for operations, and is a worker that runs them. Started on several hosts, each copy also runs the operations of
// the others.

/// Counts the primes in a range of numbers.
struct CountPrimes: ClusterOperation {
    static let typeName = "countPrimes"
    var numbers: Range<Int>

    func run(in context: OperationContext) async throws -> Int {
        numbers.count { number in
            number > 1 && !(2...).prefix { $0 * $0 <= number }.contains { number.isMultiple(of: $0) }
        }
    }
}

/// Has the cluster count the primes, in ten parts.
func primes(below limit: Int) async throws -> Int {
    let queue = try Cluster().queue("primes")
    let bounds = (0...10).map { limit * $0 / 10 }
    let parts = zip(bounds, bounds.dropFirst()).map { RemoteOperation(CountPrimes(numbers: $0..<$1)) }
    try await queue.addOperations(parts)

    var sum = 0
    for part in parts { sum += try await part.value }
    return sum
}

do {
    let limit = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000
    let worker = try ClusterWorker(slots: 2, operations: [CountPrimes.self])

    try await withThrowingTaskGroup(of: Void.self) { group in
        // The worker runs until its task is cancelled. With false, Ctrl-C ends the program as usual.
        group.addTask { try await worker.run(untilSignalled: false) }
        group.addTask { print("\(try await primes(below: limit)) primes below \(limit)") }

        // The first task to end is the one that prints, or a worker that cannot run, whose error ends the program.
        try await group.next()
        group.cancelAll()
        try await group.waitForAll()
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
