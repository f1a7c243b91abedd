import Arguments
import Operations
import Scheduler

/// The options that all commands that run a coordinator have in common.
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
            How long, when it is started again, it waits for workers that were there before and are not back yet; 5s unless \
            given.
            """,
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var reconcileWindow = Configuration().reconcileWindow

    /// The limits by which the coordinator judges its workers, and how it treats them.
    var limits: Configuration { Configuration(reconcileWindow: reconcileWindow, sendAhead: sendAhead) }
}
