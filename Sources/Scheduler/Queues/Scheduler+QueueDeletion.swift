@_spi(Baton) import BatonOperations

/// The deletion of queues.
extension Scheduler {
    /// Deletes a queue that has no unfinished operation; the next use of its name makes a queue with default settings.
    ///
    /// Operations that have finished keep the queue's name, which is part of their jobs.
    ///
    /// - Complexity: O(queues).
    mutating func deleteQueue(_ name: String, request: RequestID) {
        guard name != Submission.defaultQueue else {
            let sentence = "The queue \"\(name)\" cannot be deleted: operations without a queue of their own go there."
            return emit(.answer(request, .refused(Refusal(.invalid, sentence))))
        }
        guard let queue = queues.index(ofName: name) else {
            return emit(.answer(request, .refused(Refusal(.notFound, "There is no queue \"\(name.asShown)\"."))))
        }
        let unfinished = queues[queue].counts.unfinished
        guard unfinished == 0 else {
            let operations =
                unfinished == 1
                ? "one unfinished operation. Wait for its end, or cancel it,"
                : "\(unfinished) unfinished operations. Wait for their end, or cancel them,"
            let sentence = "The queue \"\(name.asShown)\" has \(operations) and try again."
            return emit(.answer(request, .refused(Refusal(.invalid, sentence))))
        }
        guard !arrivals.values.contains(where: { $0.queues.contains(queue) }) else {
            let sentence =
                "The queue \"\(name.asShown)\" is that of a job that is being submitted. Wait for the end of its operations, or "
                + "cancel them, and try again."
            return emit(.answer(request, .refused(Refusal(.invalid, sentence))))
        }
        dropReservation(ofQueue: queue)
        queues.remove(queue)
        emit(.commit(.queueDeleted(name)))
        note(.queueDeleted(name))
        answer(request, .changed(ChangeReport(changed: 1)))
    }
}
