@_spi(Baton) public import BatonOperations

/// The sentences about what operations of a job wait for together.
@_spi(Baton) extension WaitingDocument.Reason {
    private init(_ kind: WaitReason.Kind, _ message: String, _ subject: WaitingSubject) {
        self.init(kind, message, count: subject.count, operation: subject.operation, queue: subject.queue)
    }

    /// A user holds the operations.
    public static func hold(_ subject: WaitingSubject) -> Self {
        Self(.hold, "\(subject.text) \(subject.form("is", "are")) held.", subject)
    }

    /// Others have to end first.
    ///
    /// - Parameters:
    ///   - first: what the first of the operations waits for; nil if that is not known.
    ///   - isOnly: whether all of them wait for that.
    public static func dependencies(_ subject: WaitingSubject, first: Address?, isOnly: Bool) -> Self {
        let name = first.map { address in
            if case .job(let job) = address { "job \(job)" } else { address.asShown }
        }
        let wait = "\(subject.text) \(subject.form("waits", "wait")) for"
        let sentence =
            switch name {
            case let name? where isOnly: "\(wait) \(name), which must end first."
            case let name?: "\(wait) others that must end first, such as \(name)."
            case nil: "\(wait) others that must end first."
            }
        return Self(.dependency, sentence, subject)
    }

    /// The operations may not start before a time.
    ///
    /// - Parameters:
    ///   - from: when the first of them may start.
    ///   - isRetry: whether the delays follow failed attempts.
    ///   - now: the present moment.
    public static func delays(_ subject: WaitingSubject, from: Timestamp, isRetry: Bool, now: Timestamp) -> Self {
        let start = "start in \((from - now).roughText), at \(from.text)."
        let sentence =
            switch (isRetry, subject.isPlural) {
            case (true, false): "The last attempt of \(subject.text) failed; the next one can \(start)"
            case (true, true): "The last attempts of \(subject.text) failed; the first of the next ones can \(start)"
            case (false, false): "\(subject.text) was submitted with a delay and can \(start)"
            case (false, true): "\(subject.text) were submitted with a delay; the first of them can \(start)"
            }
        return Self(.delay, sentence, subject)
    }

    /// The operations were cancelled while their queue was suspended.
    public static func cancelled(_ subject: WaitingSubject) -> Self {
        let queue = "the queue \"\(subject.queue.asShown)\", which is suspended, is resumed."
        return Self(
            .suspended,
            subject.isPlural
                ? "\(subject.text) were cancelled and never start; they are finished once \(queue)"
                : "\(subject.text) was cancelled and never starts; it is finished once \(queue)",
            subject
        )
    }

    /// The operations were sent to workers and have not started.
    ///
    /// - Parameters:
    ///   - worker: the worker of the first operation.
    ///   - isRecalled: whether the workers were asked to return them.
    ///   - isAway: whether the workers have not come back since the coordinator's restart.
    public static func sent(_ subject: WaitingSubject, worker: String, isRecalled: Bool, isAway: Bool) -> Self {
        guard subject.isPlural else {
            return Self(subject, .sent(worker: worker, isRecalled: isRecalled, isAway: isAway))
        }
        let sentence =
            if isAway {
                "\(subject.text) were sent to workers that have not come back since the coordinator was restarted. They go to "
                    + "other ones once those workers count as lost."
            } else if isRecalled {
                "\(subject.text) were sent to workers that were asked to return them and have not answered."
            } else {
                "\(subject.text) were sent to workers, and start there as soon as slots are free."
            }
        return Self(.slots, sentence, subject)
    }

    /// A barrier of the operations' queue comes first.
    ///
    /// - Parameter unfinished: the number of unfinished operations that were added before the barrier.
    public static func barrier(_ subject: WaitingSubject, _ barrier: OperationID, unfinished: Int) -> Self {
        let others =
            switch unfinished {
            case 0: ""
            case 1: ", and waits for the end of an operation that was added before"
            default: ", and waits for the end of \(unfinished) operations that were added before"
            }
        return waiting(
            subject,
            .barrier,
            "the barrier \(barrier) of the queue \"\(subject.queue.asShown)\" comes first\(others)."
        )
    }

    /// The operations are barriers, and operations that were added before are not finished.
    ///
    /// - Parameter unfinished: the number of those operations.
    public static func beforeBarrier(_ subject: WaitingSubject, unfinished: Int) -> Self {
        let barrier = subject.form("it is a barrier", "they are barriers")
        let queue = "the queue \"\(subject.queue.asShown)\" before"
        return waiting(
            subject,
            .barrier,
            unfinished == 1
                ? "\(barrier), and an operation that was added to \(queue) is not finished."
                : "\(barrier), and \(unfinished) operations that were added to \(queue) are not finished."
        )
    }

    /// The operations wait for a worker, and it is not known what keeps them from each.
    public static func worker(_ subject: WaitingSubject) -> Self {
        let (be, wait) = (subject.form("is", "are"), subject.form("waits", "wait"))
        let them = subject.form("it", "them")
        return Self(.resources, "\(subject.text) \(be) ready, and \(wait) for a worker that takes \(them).", subject)
    }

    /// The operations are about to be sent to workers.
    public static func nothing(_ subject: WaitingSubject) -> Self {
        Self(.order, "\(subject.text) \(subject.form("is", "are")) about to start.", subject)
    }

    /// What the operations wait for is what a reason of `explain` says.
    ///
    /// - Parameter reason: the reason, in a sentence that fits the number of the operations.
    public init(_ subject: WaitingSubject, _ reason: WaitReason) {
        self = Self.waiting(subject, reason.kind, reason.message)
        possible = reason.possible
    }

    private static func waiting(_ subject: WaitingSubject, _ kind: WaitReason.Kind, _ fact: String) -> Self {
        let fact = fact.prefix(1).lowercased() + fact.dropFirst()
        return Self(kind, "\(subject.text) \(subject.form("waits", "wait")): \(fact)", subject)
    }
}

@_spi(Baton) extension WaitingDocument.Reason {
    /// Puts a general sentence for faults of workers.
    public mutating func conceal() {
        guard kind == .failing else { return }
        self = .waiting(WaitingSubject(count: count, operation: operation, queue: queue), kind, .generalFault)
    }
}
