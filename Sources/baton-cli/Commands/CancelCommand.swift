@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton cancel`.
struct CancelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancels jobs, operations, or all operations now in a queue.",
        discussion: """
            An operation that is not executing finishes at once without running: after the command has ended, it does not start. \
            In a suspended queue it finishes when the queue resumes, and does not start either. An executing operation gets SIGTERM, and SIGKILL after its grace period. A finished operation is not affected, but a \
            completion hook of it that is executing is ended in the same way. --all asks before it cancels anything.
            """,
        examples: [
            Example("baton cancel 12", "Cancel the unfinished operations of a job"),
            Example("baton cancel 12/sepia 12/4"),
            Example("baton cancel last '13/test-*'", "Cancel the newest job, and the operations whose names match"),
            Example("baton cancel --queue images", "Cancel all operations of a queue"),
            Example("baton cancel --all --yes", "Cancel all jobs of this key, in a script"),
        ]
    )

    @Option(
        help: ArgumentHelp("Cancel all operations now in this queue.", valueName: "queue"),
        completion: CompletionSubject.queues.kind,
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var queue: String?

    @Flag(
        help:
            "Cancel all unfinished jobs that were submitted with this key; asks on a terminal, and elsewhere takes --yes."
    )
    var all = false

    @Flag(help: "With --all, cancel the jobs of everyone.")
    var everyone = false

    @Flag(help: "With --all, do not ask.")
    var yes = false

    @Argument(help: "Jobs (12, last, nightly) and operations (12/3, 12/sepia, 12/[3-9,20], 12/test-*).")
    var addresses: [AddressPattern] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if addresses.isEmpty, queue == nil, !all {
            throw ValidationError("Give the target of the cancellation: an address, --queue, or --all.")
        }
        if all, !addresses.isEmpty || queue != nil {
            throw ValidationError("--all cancels whole jobs. Give either --all, or addresses and --queue.")
        }
        if everyone || yes, !all {
            throw ValidationError("\(everyone ? "--everyone" : "--yes") is for --all, and has no effect without it.")
        }
    }

    func run() async throws {
        let resolver = AddressResolver(on: try global.connect())
        guard all else {
            var rest = queue
            // The queue goes with the first part of many addresses.
            let report = try await resolver.change(addresses) { part in
                defer { rest = nil }
                return .cancel(part, queue: rest)
            }
            return try ChangeOutput(global).show(cancellation: report)
        }
        let jobs = try await Jobs(of: everyone ? nil : .some(resolver.ownKey()), resolver)
        if !jobs.numbers.isEmpty, !yes { try jobs.confirm() }
        // Without jobs, too, the coordinator says whether this key may cancel.
        let report = try await resolver.change(jobs.numbers.map(Address.job)) { .cancel($0, queue: nil) }
        try ChangeOutput(global).show(cancellation: report)
    }
}
