@_spi(Baton) import BatonOperations

/// The work that an event leaves for its end, where loops in place of recursion serve chains of any length (DE19).
struct DeferredWork: Sendable {
    /// Nodes that became impossible to run and that the current event has yet to finish, with the reason.
    var skips: [Skip] = []
    /// Jobs that have reached their maximum of failures, and whose waiting operations are still to be cancelled.
    var failingJobs: [JobNumber] = []
    /// Jobs whose last operation finished during the current event.
    var finishedJobs: [JobIndex] = []
    /// The ends of elements of which the arrays that wait for them one by one are to be told.
    var elementNews: [ElementNews] = []
    /// How many of these ends they have been told.
    var toldElementNews = 0

    /// What is to be done about files whose last copies are gone, or that are back.
    var files = DeferredFileWork()

    /// Whether nodes are to be skipped, or arrays are to be told of ends that may skip some.
    @inline(__always) var hasSkips: Bool { !skips.isEmpty || !elementNews.isEmpty }

    /// Lets the skips of a block apply to the rest that was split off it, which does not count their conditions.
    ///
    /// - Parameter offset: the number of operations that the block keeps.
    mutating func shareSkips(
        of block: SlabReference<OperationNode>,
        with rest: SlabReference<OperationNode>,
        _ offset: UInt32
    ) {
        for skip in skips where skip.node == block {
            var shared = skip
            shared.node = rest
            shared.isCounted = false
            if skip.rootsFollow { shared.ending = skip.ending.after(offset) }
            skips.append(shared)
        }
    }
}
