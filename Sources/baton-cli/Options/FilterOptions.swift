@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations

/// The options of `list` and `show` for what to list.
struct FilterOptions: ParsableArguments {
    @Flag(help: "List only what has failed, like --outcome failed.")
    var failed = false

    @Option(
        help: ArgumentHelp("List only what is in this state; can be given several times.", valueName: "state")
    )
    var state: [OperationState] = []

    @Option(
        help: ArgumentHelp(
            "List only what ended so; can be given several times, also with --state.",
            valueName: "outcome"
        )
    )
    var outcome: [Outcome] = []

    @Option(
        help: ArgumentHelp(
            "List only names that match a pattern, such as 'tile-*' or 'run[1-5]'.",
            valueName: "pattern"
        ),
        transform: { (text: String) in try Self.pattern(text) }
    )
    var name: NameGlob?

    @Option(
        help: ArgumentHelp("List only what is in this queue.", valueName: "queue"),
        completion: CompletionSubject.queues.kind,
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var queue: String?

    @Option(
        help: ArgumentHelp(
            """
            List only jobs submitted or finished, or operations started or finished, since a moment: a time ago such as 2h, or a local time \
            such as '2026-11-21 04:00'.
            """,
            valueName: "moment"
        ),
        transform: { (text: String) in try Moment(text) }
    )
    var since: Moment?

    /// The conditions.
    ///
    /// - Parameter present: the present time by the coordinator's clock, which a time ago needs.
    func filter(at present: () async throws -> Timestamp) async rethrows -> ListFilter {
        ListFilter(
            states: state,
            outcomes: outcome + (failed ? [.failed] : []),
            name: name,
            queue: queue,
            since: try await since?.time(at: present)
        )
    }

    private static func pattern(_ text: String) throws(ValidationError) -> NameGlob {
        let pattern = Name.normalized(text)
        guard !pattern.isEmpty, pattern.utf8.count <= Name.maximumLength else {
            throw ValidationError("Please provide a pattern of 1 to \(Name.maximumLength) bytes.")
        }
        return NameGlob(pattern)
    }
}

/// A moment, as users give it.
enum Moment: Hashable, Sendable {
    /// As long ago, by the coordinator's clock.
    case ago(Duration)
    /// A local time.
    case time(Timestamp)

    /// Reads a moment.
    init(_ text: String) throws(ValidationError) {
        if let duration = Duration(text: text) {
            self = .ago(duration)
        } else if let time = Timestamp(localText: text) {
            self = .time(time)
        } else {
            throw ValidationError(
                "Please provide a time ago with its unit, such as 10m or 2h, or a local time such as '2026-11-21 04:00'."
            )
        }
    }

    /// The time of the moment.
    ///
    /// - Parameter present: the present time by the coordinator's clock.
    func time(at present: () async throws -> Timestamp) async rethrows -> Timestamp {
        switch self {
        case .ago(let duration): try await present() + (.zero - duration)
        case .time(let time): time
        }
    }
}
