import BatonOperations

extension Scheduler {
    mutating func cancel(_ selections: [OperationSelection], request: RequestID) {
        // Asked for before: what this finishes was not finished.
        let notes = notes(onFinished: selections, "cancelling it has no effect")
        var met = 0
        for node in select(selections) {
            guard !nodes[node].isCancelled else {
                // Who asks a second time waits for the answer to the first one, too (CA9, CA15).
                recall(node)
                continue
            }
            met += Int(nodes[node].count)
            let reason = Reason(.cancelled, "Its cancellation was asked for.")
            advance(node, on: .cancellationRequested, TransitionContext(reason: reason))
        }
        answer(request, .changed(ChangeReport(changed: met, notes: Array(notes.prefix(Self.mostNotes)))))
    }

    /// How many sentences an answer has at most about what was not changed.
    static let mostNotes = 10

    /// Finishes what was cancelled while its queue was suspended (SU4).
    mutating func finishFlagged(inQueue place: Int32) {
        let flagged = queues[Int(place)].flagged
        queues[Int(place)].flagged = []
        for reference in flagged {
            if let node = nodes.resolve(reference) { advance(node, on: .queueResumed) }
        }
    }
}
