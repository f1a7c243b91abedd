import Baton
import Foundation
@_spi(Baton) import BatonThreads
import Testing

/// Squares a number.
struct Square: ClusterOperation {
    static let typeName = "square"
    var number: Int

    func run(in context: OperationContext) async throws -> Int { number * number }
}

/// Adds the results of the squares that it depends on.
struct SumOfSquares: ClusterOperation {
    static let typeName = "sumOfSquares"

    func run(in context: OperationContext) async throws -> Int {
        try context.results(of: Square.self).compactMap(\.self).reduce(0, +)
    }
}

/// Reports progress with a message, and waits at a gate.
struct Report: ClusterOperation {
    static let typeName = "report"
    var gate: String

    func run(in context: OperationContext) async throws {
        context.report(progress: 0.25, "a quarter")
        if let pipe = FileHandle(forReadingAtPath: gate) { _ = try pipe.readToEnd() }
    }
}

/// Waits for an operation of the cluster, whose address it is given.
struct WaitFor: ClusterOperation {
    static let typeName = "waitFor"
    var address: OperationAddress?

    func run(in context: OperationContext) async throws -> String {
        let operation = try await context.cluster.operation(address ?? context.address)
        do {
            return try await operation.waitUntilFinished().rawValue
        } catch let error as ClusterError {
            return error.code.rawValue
        }
    }
}

/// Waits for itself through a client of its own.
struct WaitForItself: ClusterOperation {
    static let typeName = "waitForItself"
    var home: String

    func run(in context: OperationContext) async throws -> String {
        let own = try Cluster(coordinator: context.cluster.coordinator, home: home)
        let operation = try await own.operation(context.address)
        do {
            return try await operation.waitUntilFinished().rawValue
        } catch let error as ClusterError {
            return error.code.rawValue
        }
    }
}

/// Reports progress right before its end.
struct ReportLast: ClusterOperation {
    static let typeName = "reportLast"

    func run(in context: OperationContext) async throws {
        for step in 1...9 { context.report(progress: Double(step) / 10, "step \(step)") }
    }
}

/// Adds squares to another queue, and adds their results.
struct AddSquares: ClusterOperation {
    static let typeName = "addSquares"
    var count: Int

    func run(in context: OperationContext) async throws -> Int {
        let squares = (0..<count).map { RemoteOperation(Square(number: $0)) }
        try await context.cluster.queue("inner").addOperations(squares)
        var sum = 0
        for square in squares { sum += try await square.value }
        return sum
    }
}

/// Tells its queue, and what its dependencies left.
struct Absences: ClusterOperation {
    static let typeName = "absences"

    func run(in context: OperationContext) async throws -> [String] {
        let queue = await Task { DistributedOperationQueue.current?.name }.value ?? "none"
        return [queue]
            + context.dependencies.map { dependency in
                let number = try? dependency.value(of: Square.self)
                return dependency.outcome.rawValue + (number.map { " \($0)" } ?? "")
            }
    }
}

extension TestCluster {
    /// A client as a program makes one.
    func client(_ options: Cluster.Options = Cluster.Options()) throws -> Cluster {
        try Cluster(coordinator: endpoint, options: options, home: home.path)
    }

    /// Runs a body while a worker of this process runs the types of this file.
    func withSwiftWorker(slots: Int = 4, _ body: () async throws -> Void) async throws {
        var worker = try ClusterWorker(
            coordinator: endpoint,
            name: "swift",
            slots: slots,
            directory: home.appending(path: "swift").path,
            operations: [
                Square.self, SumOfSquares.self, Report.self, WaitFor.self, AddSquares.self, Absences.self,
                WaitForItself.self,
                ReportLast.self,
            ],
            home: home.path
        )
        worker.drainTimeout = .zero
        let run = Task { [worker] in try await worker.run(untilSignalled: false) }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        run.cancel()
        try await run.value
        try result.get()
    }
}

/// Runs the blocking forms of calls, which are not available in asynchronous code.
func blockingly<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await onOwnThread(named: "test") { () throws(any Error) in try body() }
}
