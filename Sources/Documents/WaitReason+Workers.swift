@_spi(Baton) public import BatonOperations

/// Workers that are missing, get nothing new, or have nothing free.
@_spi(Baton) extension WaitReason {
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
                "The worker \(reserved.asShown) is kept for \(isPlural ? "the first of them" : "it"), until what runs there has "
                    + "ended: \(list)\(more)."
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
}
