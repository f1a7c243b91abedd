import BatonTestValues
import Testing

/// How many workers a cluster has, and how many slots each of them.
struct ClusterShape: Hashable, Sendable, CustomTestStringConvertible {
    /// One worker that runs one operation at a time.
    static let smallest = ClusterShape(workers: 1, slotsOfEach: 1)

    /// The shapes in which each statement of the contract is tested.
    ///
    /// Several workers with several slots find nearly all that the other two shapes find, which `scripts/test-thorough` adds.
    static let tested =
        [ClusterShape(workers: 3, slotsOfEach: 2)]
        + (Thoroughness.isFull ? [smallest, ClusterShape(workers: 1, slotsOfEach: 4)] : [])

    var workers: Int
    var slotsOfEach: Int

    /// How many operations can execute at once in the whole cluster.
    var slots: Int { workers * slotsOfEach }

    var testDescription: String { "\(workers) x \(slotsOfEach)" }
}

/// Runs a test in a cluster of a shape, beside other tests, and ends the cluster afterwards.
///
/// A test that hangs fails after an hour: a shorter limit would fail tests on a loaded machine.
///
/// - Parameter arguments: more arguments of the coordinator.
func withCluster(
    _ shape: ClusterShape,
    coordinator arguments: [String] = [],
    _ body: @escaping @Sendable (TestCluster) async throws -> Void
) async throws {
    try await Lanes.shared.run {
        try await limited(to: .seconds(3600)) {
            try await withCluster(workers: shape.workers, slots: shape.slotsOfEach, coordinator: arguments, body)
        }
    }
}

/// Cancels a body that takes too long.
private func limited(to limit: Duration, _ body: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask(operation: body)
        group.addTask {
            try await Task.sleep(for: limit)
            throw Failure("The test was not over after \(limit).")
        }
        defer { group.cancelAll() }
        try await group.next()
    }
}
