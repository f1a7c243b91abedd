@_spi(Baton) import BatonArguments

/// The limits after which a worker leaves.
struct LeavingArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Time for executing operations to finish after SIGTERM, Ctrl-C, "baton stop" or the time limit, before they are \
            ended; 0s ends them at once (default: 8s, because Docker and Podman kill containers after 10s).
            """,
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var drainTimeout: Duration?

    @Option(
        help: ArgumentHelp(
            "Stop after this time without anything to do (default: never).",
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var idleExit: Duration?

    @Option(
        help: ArgumentHelp(
            """
            Stop this long after the start. Operations that declare a longer --expected or --timeout than is left go to other \
            workers (default: no limit).
            """,
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var timeLimit: Duration?

    func validate() throws {
        if timeLimit == .zero { throw ValidationError("A worker with a time limit of 0s could do nothing.") }
    }
}
