@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler

/// The options shared by all commands with a coordinator.
struct CoordinatorArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Prefetch: the maximum number of operations to send to a worker before it has a free slot for them. auto sends as \
            many as the worker completes within about 30 milliseconds and its round trip, which also keeps the order between \
            workers.
            """,
            valueName: "n"
        )
    )
    var sendAhead = SendAhead.automatic

    @Option(
        help: ArgumentHelp(
            """
            Maximum time after a restart during which the coordinator waits for its earlier workers to reconnect before it \
            dispatches their ready operations to others (default: 5s). Operations that they execute wait until --lost-after.
            """,
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var reconcileWindow = Configuration().reconcileWindow

    @Option(
        help: ArgumentHelp(
            "Silence after which a worker gets no new operations (default: 10s; minimum: 1s).",
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var suspectAfter = Configuration().suspectAfter

    @Option(
        help: ArgumentHelp(
            """
            Silence after which a worker counts as lost and its operations run again on other workers (default: 45s; minimum: \
            --suspect-after).
            """,
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var lostAfter = Configuration().lostAfter

    @Option(
        help: ArgumentHelp(
            """
            Time after which a lost worker leaves the list of workers by itself, or never (default: 1h). Its operations run \
            elsewhere since the loss, and a worker that comes back later is on the list again.
            """,
            valueName: "duration"
        ),
        completion: .list(["never"]),
        transform: { (text: String) in text == "never" ? Duration?.none : try DurationOption.read(text) }
    )
    var forgetLostAfter = Configuration().forgetLostAfter

    @Option(
        help: ArgumentHelp(
            """
            Retention of finished jobs: a maximum age, such as 7d, a maximum number of operations, such as 1000000, or forever. \
            Can be given twice, for both limits; beyond either, the oldest jobs are removed (default: 7d and 1000000).
            """,
            valueName: "limit"
        )
    )
    var keepFinished: [RetentionLimit] = []

    @Option(
        help: ArgumentHelp(
            """
            Limit of all files of one job, such as 100G: an attempt that leaves more fails, and a job that sends more is \
            refused (default: no limit). A job can set a lower limit with --files-limit.
            """,
            valueName: "size"
        ),
        transform: { (text: String) in try ResourceArgument.size(text, from: 1) }
    )
    var jobFilesLimit: Int64?

    @Option(
        help: ArgumentHelp(
            """
            Directory in which the coordinator keeps a copy of each file that operations leave (default: none). It may be on a \
            mounted or shared file system. A copy is removed one hour after no unfinished job and no --keep-files needs it. No \
            other coordinator may use the directory at the same time.
            """,
            valueName: "directory"
        ),
        completion: .directory
    )
    var archive: String?

    @Flag(
        help: """
            Start although a part of the record is missing that was acknowledged, such as its write-ahead log. What is missing \
            is lost; no number is given twice. Without a loss, the option has no effect.
            """
    )
    var acceptLoss = false

    func validate() throws {
        guard suspectAfter >= .seconds(1), lostAfter >= suspectAfter else {
            throw ValidationError(
                "--suspect-after must be at least 1s, and --lost-after at least --suspect-after: they are "
                    + "\(suspectAfter.text) and \(lostAfter.text)."
            )
        }
        let kinds = keepFinished.map(\.kind)
        guard Set(kinds).count == kinds.count, kinds.count == 1 || !keepFinished.contains(.forever) else {
            throw ValidationError("Give --keep-finished at most one duration and one number, or forever alone.")
        }
    }

    /// The retention limits for finished jobs.
    var retention: Retention {
        var retention = Retention()
        for limit in keepFinished {
            switch limit {
            case .age(let age): retention.age = age
            case .operations(let count): retention.operations = count
            case .forever: retention = .forever
            }
        }
        return retention
    }

    /// The coordinator's limits and settings for its workers.
    var limits: Configuration {
        Configuration(
            suspectAfter: suspectAfter,
            lostAfter: lostAfter,
            forgetLostAfter: forgetLostAfter,
            reconcileWindow: reconcileWindow,
            sendAhead: sendAhead,
            jobFilesLimit: jobFilesLimit
        )
    }
}
