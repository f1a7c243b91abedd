import BatonArguments
import BatonOperations
import BatonScheduler

/// The options shared by all commands with a coordinator.
struct CoordinatorArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            How many operations a worker is sent before it has a slot for them: a number, or auto for as many as it ends \
            within a few milliseconds, so that the order holds between workers, too.
            """,
            valueName: "n"
        )
    )
    var sendAhead = SendAhead.automatic

    @Option(
        help: ArgumentHelp(
            """
            How long, when it is started again, it keeps what was ready back for workers that were there before and are not back \
            yet; 5s unless given. What they run waits until they count as lost.
            """,
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var reconcileWindow = Configuration().reconcileWindow

    @Option(
        help: ArgumentHelp(
            "How long a worker may be silent before it gets nothing new; 10s unless given, at least 1s.",
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var suspectAfter = Configuration().suspectAfter

    @Option(
        help: ArgumentHelp(
            """
            How long a worker may be silent before it counts as lost, and others get what it runs; 45s unless given, at least as \
            long as --suspect-after.
            """,
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var lostAfter = Configuration().lostAfter

    @Option(
        help: ArgumentHelp(
            """
            How long finished jobs are kept, such as 7d, or how many of their operations, such as 1000000, or forever; may be \
            given for both. The oldest go once either is exceeded; 7d and 1000000 unless given.
            """,
            valueName: "limit"
        )
    )
    var keepFinished: [RetentionLimit] = []

    func validate() throws {
        guard suspectAfter >= .seconds(1), lostAfter >= suspectAfter else {
            throw ValidationError(
                "Give --suspect-after at least 1s, and --lost-after at least as much as that: they are \(suspectAfter.text) "
                    + "and \(lostAfter.text)."
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
            reconcileWindow: reconcileWindow,
            sendAhead: sendAhead
        )
    }
}
