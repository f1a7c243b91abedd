@_spi(Baton) import BatonOperations

extension Scheduler {
    mutating func cancel(_ selections: [OperationSelection], request: RequestID) {
        // Collect the notes first: operations that the request itself finishes get no note.
        var notes: [String] = []
        var waiting: [JobNumber: [HookIndex]]?
        let unhooked = selections.filter { selection in
            let ended = cancelHooks(of: selection, &waiting)
            notes += ended
            return ended.isEmpty
        }
        notes += self.notes(onFinished: unhooked, "cancelling it has no effect")
        let places = select(selections)
        if takesTurns(places.count) {
            return beginCancellation(of: places, selections, notes: notes, request: request)
        }
        var met = 0
        for place in places { met += cancel(place) }
        let closed = closeCancelled(selections)
        conclude(request, ChangeReport(changed: met, notes: notes + closed))
    }

    /// Cancels the operations of a node.
    ///
    /// - Returns: the number of operations whose cancellation nobody had requested before.
    mutating func cancel(_ place: NodeIndex) -> Int {
        guard !graph[place].isCancelled else {
            // A repeated request also waits for the worker's answer to the first request (CA9, CA15).
            recall(place)
            return 0
        }
        if graph[place].cancellation == .overdue {
            // The worker was asked to end it; the flag decides about the outcome (CA1).
            graph[place].isCancelled = true
            commitRecord(of: place)
            noteChange(of: place, .cancelled)
            recall(place)
            return 1
        }
        let count = Int(graph[place].count)
        let reason = Reason(.cancelled, "Its cancellation was asked for.")
        advance(place, on: .cancellationRequested, TransitionContext(reason: reason))
        return count
    }

    /// Closes the open jobs that are cancelled as a whole.
    ///
    /// - Returns: notes about them.
    mutating func closeCancelled(_ selections: [OperationSelection]) -> [String] {
        var notes: [String] = []
        for case .job(let number) in selections {
            guard let job = graph.job(number), graph[job].isOpen else { continue }
            close(job, isCancelled: true)
            notes.append("Job \(number) was open, and takes no further operations.")
        }
        return notes
    }

    /// The maximum number of notes in an answer about unchanged operations.
    static let mostNotes = 10

    /// Finishes the operations that were cancelled while their queue was suspended (SU4).
    mutating func finishFlagged(inQueue queue: QueueIndex) {
        let flagged = queues[queue].flagged
        queues[queue].flagged = []
        for reference in flagged {
            if let node = graph.resolve(reference) { advance(node, on: .queueResumed) }
        }
    }
}
