import Synchronization

@testable import BatonTestKit

/// Whether a cluster still exists.
final class Left: Sendable {
    private struct Weak: Sendable {
        weak var cluster: TestCluster?
        weak var driver: Driver?
    }

    private let state = Mutex(Weak())

    func set(_ test: TestCluster) { state.withLock { $0 = Weak(cluster: test, driver: test.driver) } }

    /// Whether neither the cluster nor what drives it exists any more.
    var isGone: Bool { state.withLock { $0.cluster == nil && $0.driver == nil } }
}
