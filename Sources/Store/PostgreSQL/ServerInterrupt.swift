import Synchronization

/// Tells a store that waits for its server that nobody waits for the store any more; on any thread.
final class ServerInterrupt: Sendable {
    private let flag = Atomic(false)

    /// Whether the wait is to end.
    var isSet: Bool { flag.load(ordering: .acquiring) }

    /// Ends the present wait and all later ones.
    func set() { flag.store(true, ordering: .releasing) }
}
