extension Submission {
    /// Refuses a submission whose dependencies form a cycle (DE16).
    ///
    /// The waits before and after a barrier of a queue count like dependencies (BA1, BA2).
    ///
    /// - Throws: ``Refusal`` with the code `cycle` and the path.
    /// - Complexity: O(entries + dependencies).
    func refuseCycle() throws(Refusal) {
        guard entries.contains(where: { $0.isBarrier || !$0.dependencies.isEmpty }) else { return }
        let waits = EntryWaits(entries, finished: sent?.entry)
        guard let path = CycleSearch(nodeCount: entries.count, successors: { waits[$0] }).cycle else { return }
        let names = path.map { label(ofEntry: $0) }
        throw Refusal(
            .cycle,
            "The dependencies form a cycle, in which each waits for the next: \(Refusal.text(ofPath: names)). "
                + "Remove one of them.",
            path: names
        )
    }
}
