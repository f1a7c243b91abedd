import BatonOperations

/// The settings of operations and of `defaults`.
struct OperationSettings {
    var queue = Submission.defaultQueue
    var priority = Priority.normal
    var qualityOfService: QualityOfService?
    var retries: UInt16 = 0
    var retryDelay = Duration.seconds(1)
    var restart = RestartPolicy.onLoss
    var timeout: Duration?
    var gracePeriod = Work.defaultGracePeriod
    var delay: Duration?
    var environment: [String: String] = [:]
    var directory: String?
    var standardInput: String?
    var isHeld = false
    var isBarrier = false
    var onFinish: [String]?

    /// Copies the settings of an entry; the other settings belong to the template.
    func apply(to entry: inout Entry) {
        entry.priority = priority
        entry.delay = delay
        entry.isHeld = isHeld
        entry.isBarrier = isBarrier
    }

    /// The template of operations with these settings.
    func template(for kind: Work.Kind) -> Template {
        Template(
            work: Work(
                kind,
                environment: environment,
                directory: directory,
                standardInput: standardInput,
                timeout: timeout,
                gracePeriod: gracePeriod
            ),
            retries: retries,
            retryDelay: retryDelay,
            restart: restart,
            qualityOfService: qualityOfService,
            onFinish: onFinish
        )
    }
}
