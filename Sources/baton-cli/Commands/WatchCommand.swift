@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton watch`.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints the events of the cluster, one per line, until Ctrl-C.",
        discussion: """
            Each change of an operation, with its name, and of a job, queue or worker is an event with a number; events are printed in the order of \
            their numbers. With --json, each line is a document whose key 'seq' is the number: pass the last number to --since \
            to resume. watch continues after a restart of the coordinator. A separate line gives the number of events that are \
            no longer kept.
            """,
        examples: [
            Example("baton watch", "New events"),
            Example("baton watch --since 0 --job 12", "All events of a job, past and new"),
            Example("baton watch --since 812 --json", "Resume after event 812, in a script"),
        ]
    )

    /// The maximum wait of one request for events; the next request follows at once.
    private static let patience = Duration.seconds(30)

    @Option(
        help: ArgumentHelp(
            "Start after the event with this number; 0 starts with the oldest kept event (default: new events only).",
            valueName: "seq"
        )
    )
    var since: UInt64?

    @Option(
        help: ArgumentHelp("Print only events of this job (12, last or nightly) and its operations.", valueName: "job")
    )
    var job: [JobArgument] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        // After a first answer, wait for an absent coordinator for as long as the user watches.
        let connection = try global.connect(awayLimit: .longestAllowed)
        var jobs: Set<JobNumber> = []
        for argument in job {
            let job = try await AddressResolver(on: connection).number(of: argument.job)
            jobs.insert(job)
            _ = try await connection.document(.job(job, from: 0, limit: 1), timeout: GlobalOptions.answerTimeout)
        }
        var printer = EventPrinter(isJSON: global.json, jobs: jobs, names: OperationNames(on: connection))
        var last = try await start(connection)
        Output.leaveWhenUnread()
        while true {
            let page = try await connection.events(since: last, atMost: Self.patience)
            try await printer.print(page, since: last)
            last = page.last
        }
    }

    /// The number of the event to start after.
    ///
    /// A separate request gets the number, so that no event is missed if the coordinator goes away before the first event.
    private func start(_ connection: ClientConnection) async throws -> UInt64 {
        if let since { return since }
        return try await connection.events(since: nil, atMost: .zero, timeout: GlobalOptions.answerTimeout).last
    }
}
