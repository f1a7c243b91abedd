@_spi(Baton) import BatonOperations

/// A finished operation that runs again, because its files were lost (FI6).
///
/// The node of a finished operation is gone. A rerun has a node of its own, which is not found by the operation's address: it takes its
/// turn in the queue, limits, resources and retries like any other node, and whatever is about the operation, such as a request, the counts
/// of the job or a hook, does not meet it. The operation stays finished, and its outcome stays as it was.
struct Rerun: Sendable {
    /// The node.
    let place: NodeIndex
}
