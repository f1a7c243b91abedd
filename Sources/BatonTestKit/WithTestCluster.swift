public import Baton

/// Runs a test with a cluster of its own, which ends with the test.
///
/// ```swift
/// @Test func countsWords() async throws {
///     try await withTestCluster(operations: [CountWords.self]) { test in
///         let count = try await test.cluster.queue("words").addOperation(CountWords(path: "/etc/hosts"))
///         await test.advance(by: .zero)
///         #expect(count.isFinished)
///     }
/// }
/// ```
///
/// At the end, whether `body` returns or throws, the tasks of operations that still run are cancelled, and all requests fail. The
/// function returns once these operations have returned or are suspended.
///
/// - Parameters:
///   - slots: the number of slots of the first worker, which has the name `w1`; 0 for no worker.
///   - operations: the types of operations that the first worker runs.
///   - isolation: the actor of the caller, on which `body` runs.
///   - body: the test.
/// - Returns: what `body` returns.
/// - Throws: what `body` throws, and `ClusterError` if the worker cannot be added, for example because two types have one
///   name.
public func withTestCluster<R>(
    slots: Int = 2,
    operations: [any ClusterOperation.Type] = [],
    isolation: isolated (any Actor)? = #isolation,
    _ body: (TestCluster) async throws -> R
) async throws -> R {
    let test = try TestCluster()
    let result: Result<R, any Error>
    do {
        if slots != 0 { try await test.addWorker("w1", slots: slots, operations: operations) }
        result = .success(try await body(test))
    } catch {
        result = .failure(error)
    }
    await test.shutDown()
    return try result.get()
}
