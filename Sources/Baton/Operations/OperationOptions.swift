@_spi(Baton) import BatonOperations

/// How an operation is run, fixed when the operation is added (L10).
public struct OperationOptions: Hashable, Sendable {
    /// What to do when the worker of an operation is lost.
    public enum Restart: Hashable, Sendable {
        /// The operation runs again, under a higher number of the attempt.
        case onLoss
        /// The operation fails with the reason `lost`, and so runs at most once.
        case never
    }

    /// How many times a failed operation is run again; from 0 to 65,535.
    public var retries: Int
    /// The delay before the first retry, which each further retry doubles; up to 10,000 days.
    public var retryDelay: Duration
    /// The time limit of each attempt, above zero; nil for none.
    public var timeout: Duration?
    /// The earliest start, counted from the submission; nil for none.
    public var delay: Duration?
    /// Whether the operation waits for ``DistributedOperation/release()-65g4h``.
    public var isHeld: Bool
    /// What to do when the worker of the operation is lost.
    public var restart: Restart
    /// A command, with its arguments, that the cluster runs once the operation is finished, whatever the outcome (CM9).
    public var onFinish: [String]?
    /// The processors of the worker that the operation takes, with up to three decimals, in addition to one slot; nil for none.
    public var cpus: Double?
    /// The memory of the worker that the operation takes, in bytes; nil for none.
    ///
    /// A command that uses more is killed, and its operation fails.
    public var memory: Int?
    /// The units of named resources of the worker that the operation takes, each at least 1.
    public var resources: [String: Int]
    /// Conditions for the labels of the worker, such as `zone=a`, `zone!=b` or `arch in (x,y)`; all have to hold.
    public var labels: [String]

    /// Sets options; what is left out has its default.
    ///
    /// A value outside its range is refused when the operation is added.
    public init(
        retries: Int = 0,
        retryDelay: Duration = .seconds(1),
        timeout: Duration? = nil,
        delay: Duration? = nil,
        isHeld: Bool = false,
        restart: Restart = .onLoss,
        onFinish: [String]? = nil,
        cpus: Double? = nil,
        memory: Int? = nil,
        resources: [String: Int] = [:],
        labels: [String] = []
    ) {
        self.retries = retries
        self.retryDelay = retryDelay
        self.timeout = timeout
        self.delay = delay
        self.isHeld = isHeld
        self.restart = restart
        self.onFinish = onFinish
        self.cpus = cpus
        self.memory = memory
        self.resources = resources
        self.labels = labels
    }
}

extension OperationOptions {
    /// The part of a submission that operations with these options share.
    ///
    /// - Throws: ``ClusterError`` `invalid` for a value outside its range; other rules are checked with the whole submission.
    func template(of work: Work, qualityOfService: BatonOperations.QualityOfService?) throws(ClusterError) -> Template {
        guard let retries = UInt16(exactly: retries) else {
            throw ClusterError(.invalid, "An operation has from 0 to \(UInt16.max) retries, not \(retries).")
        }
        var work = work
        work.timeout = timeout
        if let memory {
            guard memory > 0 else {
                throw ClusterError(.invalid, "An operation takes at least 1 byte of memory, or nil.")
            }
            work.memory = Int64(memory)
        }
        for (name, amount) in resources {
            guard amount > 0 else {
                throw ClusterError(
                    .invalid,
                    "An operation takes at least 1 unit of \"\(name.asShown)\", not \(amount)."
                )
            }
            work.resources[name] = Int64(amount)
        }
        var template = Template(
            work: work,
            retries: retries,
            retryDelay: retryDelay,
            restart: restart == .never ? .never : .onLoss,
            qualityOfService: qualityOfService,
            onFinish: onFinish
        )
        if let cpus {
            let most = Double(ResourceRequest.maximumCPUs) / 1000
            guard cpus >= 0, cpus <= most else {
                throw ClusterError(.invalid, "An operation takes from 0 to \(Int(most)) processors, not \(cpus).")
            }
            template.cpus = UInt32((cpus * 1000).rounded())
        }
        for text in labels {
            guard let condition = LabelCondition(text) else {
                throw ClusterError(
                    .invalid,
                    "\"\(text.asShown)\" is no condition for the labels of a worker; \(LabelCondition.forms)."
                )
            }
            template.labels.append(condition)
        }
        return template
    }
}
