import Synchronization
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// A request of a program to a cluster, in the program's order.
enum LineItem: Sendable {
    /// Add an operation, together with the neighbouring additions.
    case addition(Addition)
    /// Add operations that were refused together, and may be fewer by now.
    case part([Addition])
    /// Add operations as one job, all or nothing.
    case group(AdditionGroup)
    /// Change something.
    case change(LineChange)
    /// Say when everything before has been answered, or why there is no answer.
    case point(@Sendable (ClusterError?) -> Void)
}

/// The addition of an operation to a queue.
struct Addition: Sendable {
    let operation: DistributedOperation
    let queue: DistributedOperationQueue
    /// What the operation shares with similar ones, made at the addition, when errors can still be thrown.
    let template: Template
    /// The name and the options of the operation, fixed now, as far as they are not in the template.
    let entry: Entry
    /// Whether the addition makes a barrier of the operation.
    let makesBarrier: Bool
    /// Takes the error, or nil for success; nil where nobody waits for the answer.
    let completion: (@Sendable (ClusterError?) -> Void)?
    /// The earlier submission without an answer that this addition repeats, if any.
    var earlier: UnansweredAddition?

    /// The operation's name.
    var name: String? { entry.name }

    /// About how many bytes the addition needs in a message, apart from what all need.
    var length: Int {
        switch template.work.kind {
        case .noOperation: 0
        case .commands(let commands): commands.reduce(0) { $0 + $1.reduce(0) { $0 + $1.utf8.count } }
        case .typed(_, let argument): argument.count
        }
    }
}

/// Additions that make one job.
struct AdditionGroup: Sendable {
    var additions: [Addition]
    let name: String?
    let key: String?
    /// Whether the coordinator refuses what no worker present can ever take (D16).
    var rejectsUnplaceable = false
    /// Takes the job's number and whether it is new; nil where nobody waits for the answer.
    let completion: (@Sendable (Result<(number: JobNumber, isNew: Bool), ClusterError>) -> Void)?
}

/// A change of an operation or a queue.
struct LineChange: Sendable {
    /// Makes the request when its turn has come and addresses are known; nil if there is nothing to ask any more.
    let request: @Sendable () throws(ClusterError) -> Request?
    /// Whether the change waits for all answers, and lets nothing pass before its own.
    var isExclusive = false
    /// Whether a refusal because the object does not exist counts as success.
    var ignoresAbsence = false
    /// Whether somebody awaits the answer, who is told at once if the line stalls.
    var isAwaited: Bool { completion != nil && !isExclusive }
    /// Takes the answer; nil where nobody waits for it.
    let completion: (@Sendable (Result<ChangeReport, ClusterError>) -> Void)?

    init(
        isExclusive: Bool = false,
        ignoresAbsence: Bool = false,
        completion: (@Sendable (Result<ChangeReport, ClusterError>) -> Void)? = nil,
        _ request: @escaping @Sendable () throws(ClusterError) -> Request?
    ) {
        self.request = request
        self.isExclusive = isExclusive
        self.ignoresAbsence = ignoresAbsence
        self.completion = completion
    }

    /// A change of an added operation; an operation whose addition was refused has nothing to change.
    init(
        of operation: DistributedOperation,
        isExclusive: Bool = false,
        _ request: @escaping @Sendable (Address) -> Request,
        completion: (@Sendable (Result<ChangeReport, ClusterError>) -> Void)? = nil
    ) {
        self.init(isExclusive: isExclusive, completion: completion) {
            operation.status.withLock(\.place.id).map { request(.operation($0)) }
        }
    }
}
