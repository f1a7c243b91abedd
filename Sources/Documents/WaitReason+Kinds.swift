public import Operations

extension WaitReason {
    /// It waits for the end of an operation, of an array, or of a job.
    ///
    /// - Parameter counts: where the operations are that the address stands for.
    public static func dependency(
        on address: Address,
        condition: DependencyCondition,
        counts: JobCounts
    ) -> WaitReason {
        let unfinished = counts.unfinished
        var sentence =
            if unfinished > 1 {
                "\(unfinished) operations of \(address) are not finished"
            } else {
                "\(address) is \(counts.state == .finished ? "not finished" : counts.state.description)"
            }
        switch condition {
        case .any: sentence += "; this one can start when that is finished."
        case .success: sentence += "; this one can start when that has succeeded, and is skipped if it does not."
        case .failure: sentence += "; this one can start when that has failed, and is skipped if it does not."
        }
        var reason = WaitReason(.dependency, sentence)
        reason.operation = address.description
        reason.condition = condition
        reason.counts = counts
        return reason
    }

    /// It may not start before a time.
    ///
    /// - Parameter isRetry: whether the time follows a failed attempt.
    public static func delay(until: Timestamp, isRetry: Bool) -> WaitReason {
        var reason = WaitReason(
            .delay,
            isRetry
                ? "Its last attempt failed; the next one can start at \(until)."
                : "It was submitted with a delay and can start at \(until)."
        )
        reason.until = until
        return reason
    }

    /// The coordinator was restarted, and waits for its workers to tell what they run.
    public static func reconciling(until: Timestamp) -> WaitReason {
        var reason = WaitReason(
            .delay,
            "The coordinator was restarted and waits for its workers to say what they are running, at most until "
                + "\(until)."
        )
        reason.until = until
        return reason
    }

    /// Its queue runs as many as it may.
    public static func limit(queue: String, limit: Int, executing: Int) -> WaitReason {
        let change = "raise the limit with \"baton queue set \(queue) --max-concurrent N\""
        var reason = WaitReason(
            .limit,
            limit == 0
                ? "The queue \"\(queue)\" has a limit of 0 and starts nothing; \(change)."
                : "The queue \"\(queue)\" executes \(executing) of at most \(limit) at once; wait for one to end, or "
                    + "\(change)."
        )
        reason.queue = queue
        reason.limit = limit
        reason.executing = executing
        return reason
    }

    /// No worker is there that could take anything.
    public static func noWorker() -> WaitReason {
        WaitReason(.noWorker, "No worker is connected that could run it; start one with \"baton worker\".")
    }

    /// All slots of all workers are taken.
    public static func slots(total: Int) -> WaitReason {
        var reason = WaitReason(
            .slots,
            (total == 1 ? "The only slot" : "All \(total) slots")
                + " of the workers are taken; wait for one to be free, "
                + "or start another worker with \"baton worker\"."
        )
        reason.slots = total
        return reason
    }

    /// Others of its queue come first.
    public static func order(queue: String, ahead: Int) -> WaitReason {
        var reason = WaitReason(
            .order,
            (ahead == 1 ? "Another operation" : "\(ahead) operations") + " of the queue \"\(queue)\" "
                + (ahead == 1 ? "comes" : "come") + " first, by priority or age."
        )
        reason.queue = queue
        reason.ahead = ahead
        return reason
    }
}
