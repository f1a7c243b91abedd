/// The common part of similar operations of a submission: their work and the handling of failures.
@_spi(Baton) public struct Template: Hashable, Sendable {
    /// The work of each operation.
    public var work: Work
    /// How many retries may follow failed attempts; 0 for none.
    public var retries: UInt16
    /// The wait before the first retry; each further retry doubles the wait.
    public var retryDelay: Duration
    /// The longest wait before a retry; nil for a day, or for the first wait if that is longer (RT1).
    public var retryDelayLimit: Duration? {
        get { seldom?.properties.retryDelayLimit }
        set { changeSeldom { $0.retryDelayLimit = newValue } }
    }
    /// The ends of attempts that are worth a retry; empty for all that the other two settings do not name (RT2).
    public var retryOn: [EndCondition] {
        get { seldom?.properties.retryOn ?? [] }
        set { changeSeldom { $0.retryOn = newValue } }
    }
    /// The ends of attempts that are not worth a retry, also if ``retryOn`` names them (RT2).
    public var noRetryOn: [EndCondition] {
        get { seldom?.properties.noRetryOn ?? [] }
        set { changeSeldom { $0.noRetryOn = newValue } }
    }
    /// The exit statuses that end the operation as failed, whatever is left of its retries (RT3).
    public var finalStatus: [EndCondition] {
        get { seldom?.properties.finalStatus ?? [] }
        set { changeSeldom { $0.finalStatus = newValue } }
    }
    /// The most memory of an attempt in bytes, up to which attempts that run out of it double that of the work; nil for none (RT4).
    public var memoryUpTo: Int64? {
        get { seldom?.properties.memoryUpTo }
        set { changeSeldom { $0.memoryUpTo = newValue } }
    }
    /// The longest time limit of an attempt, up to which attempts that exceed it double that of the work; nil for none (RT4).
    public var timeoutUpTo: Duration? {
        get { seldom?.properties.timeoutUpTo }
        set { changeSeldom { $0.timeoutUpTo = newValue } }
    }
    /// The time from the submission to the moment at which each operation that is not finished ends as failed; nil for none (SC5).
    public var deadline: Duration? {
        get { seldom?.properties.deadline }
        set { changeSeldom { $0.deadline = newValue } }
    }
    /// The units of the cluster's shared limits that each operation takes while it is at a worker, each at least 1 (LI1).
    public var take: [String: Int64] {
        get { seldom?.properties.take ?? [:] }
        set { changeSeldom { $0.take = newValue } }
    }
    /// What the files with the results of elements are called by, for each operation (DE20).
    public var inputNames: InputNaming {
        get { seldom?.properties.inputNames ?? .number }
        set { changeSeldom { $0.inputNames = newValue } }
    }
    /// The properties that few templates set; nil if all have their defaults.
    private(set) var seldom: SeldomTemplate?
    /// Whether operations run again after the loss of an attempt with its worker.
    public var restart: RestartPolicy
    /// The class for the share of a machine; nil takes the queue's class (QO3).
    public var qualityOfService: QualityOfService?
    /// How long an attempt is expected to take at most; nil for no expectation.
    ///
    /// An attempt that takes longer is not ended.
    public var expected: Duration?
    /// The processors of the worker that each operation takes, in thousandths; 0 for none.
    public var cpus: UInt32
    /// The conditions for the worker's labels, all of which must hold.
    public var labels: [LabelCondition]
    /// The program, with its arguments, to run once each operation is finished with any outcome (CM1); nil for none.
    public var onFinish: [String]?

    /// The rule for timeouts, as the end of a sentence: with a timeout of zero, every attempt would fail.
    public static let timeoutRule = "a timeout has to be above zero; leave it out for no bound"

    /// The most elements of an array that are at workers at once, in the whole cluster; nil for no limit.
    public var maxConcurrent: UInt32?

    /// Describes the common part of similar operations.
    public init(
        work: Work,
        retries: UInt16 = 0,
        retryDelay: Duration = .seconds(1),
        restart: RestartPolicy = .onLoss,
        qualityOfService: QualityOfService? = nil,
        expected: Duration? = nil,
        cpus: UInt32 = 0,
        labels: [LabelCondition] = [],
        onFinish: [String]? = nil
    ) {
        self.work = work
        self.retries = retries
        self.retryDelay = retryDelay
        self.restart = restart
        self.qualityOfService = qualityOfService
        self.expected = expected
        self.cpus = cpus
        self.labels = labels
        self.onFinish = onFinish
    }

    private mutating func changeSeldom(_ change: (inout SeldomTemplate.Properties) -> Void) {
        var properties = seldom?.properties ?? SeldomTemplate.Properties()
        change(&properties)
        seldom = SeldomTemplate(properties)
    }

    /// The longest time that the operations declare for an attempt, by their expectation or their timeout; nil for none.
    public var declaredTime: Duration? {
        guard let expected else { return work.timeout }
        return max(expected, work.timeout ?? .zero)
    }

    /// The command line of ``onFinish``, if it runs one under the shell; nil for another program, and for none.
    public var shellHook: String? {
        guard let onFinish, onFinish.count == 3, onFinish[..<2] == ["/bin/sh", "-c"] else { return nil }
        return onFinish[2]
    }

    /// Returns the same template with other programs.
    public func running(_ commands: [[String]]) -> Template {
        var template = self
        template.work.kind = .commands(commands)
        return template
    }
}
