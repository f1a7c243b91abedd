import Arguments
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
}
