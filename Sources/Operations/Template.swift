/// All that alike operations of a submission have in common: their work and how failures of it are met.
public struct Template: Hashable, Sendable {
    /// What each of them does.
    public var work: Work
    /// How often a failed attempt is followed by another; 0 for never.
    public var retries: UInt16
    /// The wait before the first retry; it doubles with each further one.
    public var retryDelay: Duration
    /// Whether they run again where an attempt is lost with its worker.
    public var restart: RestartPolicy
    /// How much of a machine they get; nil takes the queue's class (QO3).
    public var qualityOfService: QualityOfService?
    /// The program, with its arguments, that is run once each of them is finished, whatever its outcome (CM1); nil for none.
    public var onFinish: [String]?

    /// What a timeout has to be, as the end of a sentence: after no time at all, every attempt would have failed.
    public static let timeoutRule = "a timeout has to be above zero; leave it out for no bound"

    /// Describes what alike operations have in common.
    public init(
        work: Work,
        retries: UInt16 = 0,
        retryDelay: Duration = .seconds(1),
        restart: RestartPolicy = .onLoss,
        qualityOfService: QualityOfService? = nil,
        onFinish: [String]? = nil
    ) {
        self.work = work
        self.retries = retries
        self.retryDelay = retryDelay
        self.restart = restart
        self.qualityOfService = qualityOfService
        self.onFinish = onFinish
    }

    /// The same for an operation that runs other programs.
    public func running(_ commands: [[String]]) -> Template {
        var template = self
        template.work.kind = .commands(commands)
        return template
    }
}
