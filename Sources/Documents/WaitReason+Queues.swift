@_spi(Baton) public import BatonOperations

/// What the queue of an operation starts first, or does not start.
@_spi(Baton) extension WaitReason {
    /// The operation's queue is suspended.
    public static func suspended(queue: String) -> WaitReason {
        var reason = WaitReason(.suspended, "The queue \"\(queue.asShown)\" is suspended and starts nothing.")
        reason.queue = queue
        return reason
    }

    /// The operation was cancelled while its queue was suspended.
    public static func cancelled(queue: String) -> WaitReason {
        var reason = WaitReason(
            .suspended,
            "It was cancelled and never starts; it is finished once the queue \"\(queue.asShown)\", which is suspended, is "
                + "resumed."
        )
        reason.queue = queue
        return reason
    }

    /// A barrier of the operation's queue comes first.
    ///
    /// - Parameters:
    ///   - unfinished: the number of unfinished operations added before the barrier.
    ///   - first: the first of the unfinished operations.
    public static func barrier(
        _ barrier: OperationID,
        queue: String,
        unfinished: Int,
        first: [OperationID]
    ) -> WaitReason {
        let others =
            switch unfinished {
            case 0: ""
            case 1: ", and waits for the end of an operation that was added before (\(list(first, of: 1)))"
            default:
                ", and waits for the end of \(unfinished) operations that were added before (\(list(first, of: unfinished)))"
            }
        var reason = WaitReason(
            .barrier,
            "The barrier \(barrier) of the queue \"\(queue.asShown)\" comes first\(others); this one can start when that is "
                + "finished or cancelled."
        )
        reason.operation = barrier.description
        reason.queue = queue
        reason.ahead = unfinished
        reason.operations = first.map(\.description)
        return reason
    }

    /// The operation is a barrier, and operations added earlier to its queue are not finished.
    ///
    /// - Parameter first: the first of the unfinished operations.
    public static func beforeBarrier(queue: String, unfinished: Int, first: [OperationID]) -> WaitReason {
        let names = list(first, of: unfinished)
        var reason = WaitReason(
            .barrier,
            "It is a barrier, and "
                + (unfinished == 1
                    ? "an operation that was added to the queue \"\(queue.asShown)\" before (\(names)) is not finished; "
                        + "it can start when that is."
                    : "\(unfinished) operations that were added to the queue \"\(queue.asShown)\" before (\(names)) are not "
                        + "finished; it can start when they are.")
        )
        reason.queue = queue
        reason.ahead = unfinished
        reason.operations = first.map(\.description)
        return reason
    }

    /// The operation is a barrier, and finished operations of its queue run again because their files were lost.
    ///
    /// - Parameters:
    ///   - first: the first of these operations; empty to tell their number alone.
    ///   - isPlural: whether several operations wait so.
    public static func besideReruns(
        queue: String,
        count: Int,
        first: [OperationID],
        isPlural: Bool = false
    ) -> WaitReason {
        let names = first.isEmpty ? "" : " (\(list(first, of: count)))"
        let place = "of the queue \"\(queue.asShown)\"\(names)"
        let barrier = isPlural ? "They are barriers" : "It is a barrier"
        let own = isPlural ? "they" : "it"
        var reason = WaitReason(
            .barrier,
            count == 1
                ? "\(barrier), and an operation \(place) runs again because its files were lost; \(own) can start when that ends."
                : "\(barrier), and \(count) operations \(place) run again because their files were lost; \(own) can start when "
                    + "they have ended."
        )
        reason.queue = queue
        reason.ahead = count
        reason.operations = first.map(\.description)
        return reason
    }

    /// The addresses of some operations, and the number of further operations.
    private static func list(_ operations: [OperationID], of count: Int) -> String {
        let names = operations.map(\.description).joined(separator: ", ")
        return count > operations.count ? "\(names) and \(count - operations.count) more" : names
    }

    /// Other operations of the queue come first.
    public static func order(queue: String, ahead: Int) -> WaitReason {
        var reason = WaitReason(
            .order,
            (ahead == 1 ? "Another operation" : "\(ahead) operations") + " of the queue \"\(queue.asShown)\" "
                + (ahead == 1 ? "comes" : "come")
                + " first, by priority or age."
        )
        reason.queue = queue
        reason.ahead = ahead
        return reason
    }
}
