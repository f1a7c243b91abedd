@_spi(Baton) import BatonOperations

/// What an event leaves for its end about files: a loop serves a lineage of any length, in place of recursion.
struct DeferredFileWork: Sendable {
    /// The nodes that stand in line and may need files without a copy.
    var ready: [SlabReference<OperationNode>] = []
    /// The finished operations whose files other operations wait for.
    var lost: [OperationID] = []
    /// The finished operations whose reruns may not be needed any more.
    var doubtful: [OperationID] = []
    /// The nodes that wait for files which cannot be made again, with the reasons.
    var failures: [(node: SlabReference<OperationNode>, reason: Reason)] = []

    /// Whether nothing is left to do.
    @inline(__always) var isEmpty: Bool { ready.isEmpty && lost.isEmpty && doubtful.isEmpty && failures.isEmpty }
}
