@_spi(Baton) import BatonWorker

@testable import BatonTestKit

/// What is left of a cluster after its end.
///
/// Whoever follows the cluster learns of its end on a thread of its own, and lets go of it a moment later.
struct Left {
    /// Exists as long as the cluster and what drives it.
    private final class Mark: Sendable {
        let end: AsyncStream<Void>.Continuation

        init(_ end: AsyncStream<Void>.Continuation) { self.end = end }

        deinit { end.finish() }
    }

    private let ends: AsyncStream<Void>

    /// Marks a cluster: a further worker has a function that holds the mark.
    init(of test: TestCluster) async throws {
        let (ends, end) = AsyncStream<Void>.makeStream()
        self.ends = ends
        let mark = Mark(end)
        var types = OperationTypes()
        try types.register("marked") { _ in
            withExtendedLifetime(mark) {}
            return nil
        }
        try await test.addWorker("marked", types: types)
    }

    /// Returns when neither the cluster nor what drives it exists any more.
    func untilGone() async { for await _ in ends {} }
}
