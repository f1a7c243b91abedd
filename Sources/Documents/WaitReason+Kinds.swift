@_spi(Baton) public import BatonOperations

@_spi(Baton) extension WaitReason {
    /// The operation waits for the end of an operation, of an array, or of a job.
    ///
    /// - Parameters:
    ///   - counts: the states of the operations at the address, as counts.
    ///   - reasons: the reasons that keep the prerequisite from running; empty if the prerequisite is executing.
    public static func dependency(
        on address: Address,
        condition: DependencyCondition,
        counts: JobCounts,
        waitsFor reasons: [WaitReason] = []
    ) -> WaitReason {
        let unfinished = counts.unfinished
        var sentence =
            if unfinished > 1 {
                "\(unfinished) operations of \(address.asShown) are not finished"
            } else {
                "\(address.asShown) is \(counts.state == .finished ? "not finished" : counts.state.description)"
            }
        switch condition {
        case .any: sentence += "; this one can start when that is finished."
        case .success: sentence += "; this one can start when that has succeeded, and is skipped if it does not."
        case .failure, .failureOfAll:
            sentence += "; this one can start when that has failed, and is skipped if it does not."
        }
        var reason = WaitReason(.dependency, sentence)
        reason.operation = address.description
        reason.condition = condition
        reason.counts = counts
        reason.waitsFor = reasons
        return reason
    }

    /// The operation is held.
    public static let hold = WaitReason(.hold, "It is held.")

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

    /// The operation has more dependencies than listed.
    public static func moreDependencies(_ count: Int) -> WaitReason {
        var reason = WaitReason(
            .dependency,
            (count == 1 ? "Another dependency is" : "\(count) other dependencies are") + " not finished."
        )
        reason.more = count
        return reason
    }

    /// The job that the operation waits for is open.
    public static func openJob(_ job: JobNumber) -> WaitReason {
        var reason = WaitReason(.dependency, "Job \(job) is open: it ends once somebody has closed it.")
        reason.operation = job.description
        reason.open = true
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

    /// The operation was prefetched to a worker, and waits for a slot of the worker.
    ///
    /// - Parameters:
    ///   - worker: the worker.
    ///   - isRecalled: whether the coordinator asked the worker to return the operation, without an answer so far.
    ///   - isAway: whether the worker has not come back since the coordinator's restart.
    public static func sent(worker: String, isRecalled: Bool, isAway: Bool) -> WaitReason {
        let name = worker.asShown
        let sentence =
            if isAway {
                "It was sent to the worker \(name), which has not come back since the coordinator was restarted. It goes to "
                    + "another one once that worker counts as lost."
            } else if isRecalled {
                "It was sent to the worker \(name), which was asked to return it and has not answered."
            } else {
                "It was sent to the worker \(name), and starts there as soon as a slot is free."
            }
        var reason = WaitReason(.slots, sentence)
        reason.worker = worker
        return reason
    }

    /// The operation has a delay and may not start before a time.
    ///
    /// - Parameters:
    ///   - isRetry: whether the delay follows a failed attempt.
    ///   - now: the present time.
    public static func delay(until: Timestamp, isRetry: Bool, now: Timestamp) -> WaitReason {
        let start = "can start in \((until - now).roughText), at \(until.text)."
        var reason = WaitReason(
            .delay,
            isRetry ? "Its last attempt failed; the next one \(start)" : "It was submitted with a delay and \(start)"
        )
        reason.until = until
        return reason
    }

    /// The coordinator was restarted, and waits for its workers to report their running operations.
    ///
    /// - Parameters:
    ///   - workers: the workers that have not come back.
    ///   - now: the present time.
    public static func reconciling(until: Timestamp, workers: [String], now: Timestamp) -> WaitReason {
        let told = workers.prefix(5).joined(separator: ", ")
        let missing =
            workers.isEmpty ? "its workers" : workers.count > 5 ? "\(told) and \(workers.count - 5) more" : told
        var reason = WaitReason(
            .delay,
            "The coordinator was restarted and waits for \(missing) to say what they are running, at most for "
                + "another \((until - now).roughText)."
        )
        reason.worker = workers.first
        reason.until = until
        return reason
    }

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

    /// No connected worker can run the operation.
    ///
    /// - Parameters:
    ///   - type: the needed type; see ``BatonOperations/Work/neededType``.
    ///   - silent: the names of suitable workers that have been silent for a while.
    ///   - isPlural: whether the sentence is about several operations.
    public static func noWorker(type: String? = nil, silent: [String] = [], isPlural: Bool = false) -> WaitReason {
        let names = silent.map(\.asShown).joined(separator: ", ")
        let silence =
            (silent.count == 1 ? "The worker \(names) does" : "The workers \(names) do") + " not answer, and no other "
        let ability = type.map(ability)
        let it = isPlural ? "them" : "it"
        let sentence =
            switch (ability, silent.count) {
            case (nil, 0): "No worker is connected that could run \(it)."
            case (let ability?, 0): "No worker \(ability.verb); \(ability.remedy)."
            case (nil, _): silence + "that could run \(it) is connected."
            case (let ability?, _): silence + "\(ability.verb)."
            }
        return WaitReason(.noWorker, sentence)
    }

    /// The workers that could run the operation get nothing new.
    ///
    /// - Parameters:
    ///   - workers: the names of the draining workers, at least one.
    ///   - drained: the names of those that an administrator can let take operations again.
    ///   - silent: the names of other suitable workers, which have been silent for a while.
    ///   - isPlural: whether the sentence is about several operations.
    public static func draining(
        workers: [String],
        drained: [String] = [],
        silent: [String] = [],
        isPlural: Bool = false
    ) -> WaitReason {
        func list(_ names: [String]) -> String {
            names.prefix(5).map(\.asShown).joined(separator: ", ")
                + (names.count > 5 ? " and \(names.count - 5) more" : "")
        }
        let others = "and no other worker could run \(isPlural ? "them" : "it")."
        var sentence =
            workers.count == 1
            ? "The worker \(list(workers)) is draining and starts nothing new, \(others)"
            : "The workers \(list(workers)) are draining and start nothing new, \(others)"
        if !silent.isEmpty { sentence += " Silent for a while: \(list(silent))." }
        var reason = WaitReason(.noWorker, sentence)
        reason.drained = drained
        return reason
    }

    /// The operation declares a longer time than any suitable worker has left.
    ///
    /// - Parameters:
    ///   - needed: the declared time.
    ///   - left: the time that is left to the worker with the latest end.
    ///   - worker: that worker.
    ///   - others: the number of other suitable workers.
    ///   - isPlural: whether the sentence is about several operations.
    public static func timeLimit(
        needed: Duration,
        left: Duration,
        worker: String,
        others: Int,
        isPlural: Bool = false
    ) -> WaitReason {
        let name = worker.asShown
        let declaration = isPlural ? "They declare that they take" : "It declares that it takes"
        var reason = WaitReason(
            .noWorker,
            "\(declaration) up to \(needed.text), and "
                + (others == 0
                    ? "the worker \(name)" : "of the workers that could run \(isPlural ? "them" : "it"), \(name)")
                + (left == .zero
                    ? " has reached its time limit"
                    : " has \(others == 0 ? "" : "the most time left: ")\(left.roughText)")
                + (others == 0 && left > .zero ? " left." : ".")
        )
        reason.worker = worker
        return reason
    }

    /// The words for what a worker has to be able to: for one worker, for several workers, and how to get such a worker.
    ///
    /// - Parameter type: a needed type; see ``BatonOperations/Work/neededType``.
    private static func ability(_ type: String) -> (verb: String, plural: String, remedy: String) {
        let (type, version) = Work.parts(ofNeededType: type)
        let types = type.map { "operations of type \"\($0.asShown)\"" }
        guard version > 1 else {
            return (
                "runs \(types ?? "operations")", "run \(types ?? "operations")",
                "start a worker program that has the type"
            )
        }
        let options = "all options of the operation (version \(version) of the options)"
        return (
            (types.map { "runs \($0) and " } ?? "") + "knows \(options)",
            (types.map { "run \($0) and " } ?? "") + "know \(options)",
            "upgrade a worker"
        )
    }

    /// Suitable workers cannot start operations because of faults of the workers themselves.
    ///
    /// - Parameters:
    ///   - worker: one of the failing workers.
    ///   - reason: the fault of the worker, in a sentence.
    ///   - others: the number of further failing workers.
    public static func failing(worker: String, reason: String, others: Int) -> WaitReason {
        let more =
            switch others {
            case 0: ""
            case 1: " Another worker is failing, too."
            default: " \(others) other workers are failing, too."
            }
        var result = WaitReason(
            .failing,
            "The worker \(worker) cannot start operations, and is tried again periodically: \(reason)\(more)"
        )
        result.worker = worker
        return result
    }

    /// No worker has now what the operation asks for.
    ///
    /// - Parameters:
    ///   - lacks: what the closest workers lack; at least one.
    ///   - others: the number of other workers.
    ///   - isPossible: whether a worker could take the operation once other operations have ended.
    ///   - reserved: the worker that is kept for the operation; nil for none.
    ///   - isPlural: whether the sentence is about several operations.
    public static func resources(
        lacks: [WorkerLack],
        others: Int,
        isPossible: Bool,
        reserved: String?,
        isPlural: Bool = false
    ) -> WaitReason {
        let list = lacks.map { "\($0.worker.asShown) (\($0.description))" }.joined(separator: ", ")
        let more = others == 0 ? "" : others == 1 ? " and 1 other worker" : " and \(others) other workers"
        let sentence =
            if let reserved {
                "The worker \(reserved.asShown) is kept for \(isPlural ? "the first of them" : "it"), until what runs there has ended: \(list)\(more)."
            } else if isPossible {
                "On each worker, something that \(isPlural ? "they ask" : "it asks") for is taken, or reserved for another "
                    + "operation: \(list)\(more)."
            } else {
                "No worker that is connected can ever run \(isPlural ? "them" : "it"): \(list)\(more)."
            }
        var reason = WaitReason(lacks.allSatisfy(\.isOfLabels) ? .labels : .resources, sentence)
        reason.worker = reserved
        reason.lacks = lacks.map { Lack(worker: $0.worker, message: $0.description) }
        reason.possible = isPossible
        reason.more = others > 0 ? others : nil
        return reason
    }

    /// All slots of all workers are occupied.
    ///
    /// - Parameters:
    ///   - total: the number of slots.
    ///   - type: the type of a Swift operation, if only the slots of workers with the type count.
    public static func slots(total: Int, type: String? = nil) -> WaitReason {
        let ability = type.map(ability)
        let workers = ability.map { "the workers that \($0.plural)" } ?? "the workers"
        var reason = WaitReason(
            .slots,
            (total == 1 ? "The only slot of \(workers) is taken" : "All \(total) slots of \(workers) are taken")
                + "; wait for one to be free" + (ability.map { ", or \($0.remedy)" } ?? "") + "."
        )
        reason.slots = total
        return reason
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
