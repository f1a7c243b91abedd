@_spi(Baton) public import BatonOperations

/// Limits of queues, of arrays and of the cluster that are reached.
@_spi(Baton) extension WaitReason {
    /// The operation's queue has reached its limit.
    public static func limit(queue: String, limit: Int, executing: Int) -> WaitReason {
        var reason = WaitReason(
            .limit,
            limit == 0
                ? "The queue \"\(queue.asShown)\" has a limit of 0 and starts nothing."
                : "The queue \"\(queue.asShown)\" executes \(executing) of at most \(limit) at once; wait for one to end."
        )
        reason.queue = queue
        reason.limit = limit
        reason.executing = executing
        return reason
    }

    /// The operation's queue has started as many operations as its rate allows.
    ///
    /// - Parameter until: when the next operation of the queue may start.
    public static func rate(queue: String, _ rate: StartRate, until: Timestamp, now: Timestamp) -> WaitReason {
        let operations = rate.number == 1 ? "operation" : "operations"
        var reason = WaitReason(
            .limit,
            "The queue \"\(queue.asShown)\" starts at most \(rate.number) \(operations) \(rate.unit.noun); the next one can start "
                + "in \((until - now).roughText)."
        )
        reason.queue = queue
        reason.until = until
        return reason
    }

    /// The last place within the limit of the operation's queue is kept for an operation that comes first.
    ///
    /// - Parameter worker: the worker that is reserved for the other operation.
    public static func keptPlace(
        queue: String,
        limit: Int,
        executing: Int,
        operation: OperationID,
        worker: String
    ) -> WaitReason {
        var reason = WaitReason(
            .limit,
            "The queue \"\(queue.asShown)\" executes \(executing) of at most \(limit) at once; the last place is kept for "
                + "\(operation), which comes first and waits for the worker \(worker.asShown)."
        )
        reason.queue = queue
        reason.limit = limit
        reason.executing = executing
        reason.operation = operation.description
        reason.worker = worker
        return reason
    }

    /// The operation's array has reached its limit.
    public static func arrayLimit(of array: Address, limit: Int, executing: Int) -> WaitReason {
        var reason = WaitReason(
            .limit,
            "The array \(array.asShown) executes \(executing) of at most \(limit) at once; wait for one to end."
        )
        reason.operation = array.description
        reason.limit = limit
        reason.executing = executing
        return reason
    }

    /// A limit that several queues share has too few units left, or its units are left to an operation that comes first.
    ///
    /// - Parameters:
    ///   - needed: the units that the operation takes.
    ///   - units: the units of the limit.
    ///   - taken: the units that operations have taken.
    ///   - holders: the first of these operations.
    ///   - holderCount: the number of these operations.
    ///   - first: the operation to which the free units are left; nil if too few are free.
    ///   - isPlural: whether the sentence is about several operations.
    public static func sharedLimit(
        _ name: String,
        needed: Int,
        units: Int,
        taken: Int,
        holders: [OperationID],
        holderCount: Int,
        first: OperationID?,
        isPlural: Bool = false
    ) -> WaitReason {
        let waits = isPlural ? "Each waits for" : "It waits for"
        let others = holderCount - holders.count
        let list =
            holders.map(\.description).joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
        let message =
            if let first {
                "\(waits) \(needed) of \(units) \(name): the free ones are left to \(first), which comes first."
            } else if needed > units {
                "\(waits) \(needed) \(name), and the limit has \(units)."
            } else {
                "\(waits) \(needed) of \(units) \(name): \(taken) held by \(list)."
            }
        var reason = WaitReason(.limit, message)
        reason.sharedLimit = name
        reason.units = needed
        reason.limit = units
        reason.taken = taken
        reason.operations = holders.map(\.description)
        reason.operation = first?.description
        reason.possible = needed <= units
        if others > 0 { reason.more = others }
        return reason
    }
}
