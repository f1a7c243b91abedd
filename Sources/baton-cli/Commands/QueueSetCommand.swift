@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton queue set`.
struct QueueSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Changes the settings of a queue; creates the queue if it does not exist.",
        discussion: """
            A higher limit takes effect at once. A lower limit does not stop executing operations. With a total, the queue \
            counts the operations that run to completion, and shows the finished part of the total. \
            Setting a total again once it has been reached starts the progress anew.
            """,
        examples: [
            Example("baton queue set images --max-concurrent 4 --qos utility"),
            Example("baton queue set images --max-concurrent=-1", "No limit of its own"),
            Example("baton queue set images --suspended", "Make a queue that starts nothing until it is resumed"),
            Example("baton queue set images --total 500", "Report progress of 500 operations"),
            Example("baton queue set mail --rate 10/s", "Start at most 10 operations a second"),
        ]
    )

    @Option(
        help: ArgumentHelp(
            "Maximum number of concurrent operations of the queue in the cluster; -1 for no limit.",
            valueName: "n"
        ),
        transform: { (text: String) in try Self.limit(text) }
    )
    var maxConcurrent: QueueChange.Limit?

    @Option(help: ArgumentHelp("Quality of service: the share of slots and of processor time.", valueName: "class"))
    var qos: QualityOfService?

    @Option(
        help: ArgumentHelp(
            "Total number of operations for the progress of the queue; 0 for no progress.",
            valueName: "n"
        ),
        transform: { (text: String) in try Self.total(text) }
    )
    var total: Int?

    @Option(
        help: ArgumentHelp(
            """
            Maximum number of operations of the queue that start in a second, a minute or an hour, such as 10/s, 30/m or 100/h; \
            none for no maximum. As many as a tenth of a second allows may start together, and at least one.
            """,
            valueName: "rate"
        ),
        transform: { (text: String) in try Self.rate(text) }
    )
    var rate: QueueChange.Rate?

    @Flag(help: "Suspend the queue, as 'baton queue suspend' does.")
    var suspended = false

    @Argument(
        help: "Name of the queue.",
        completion: CompletionSubject.queues.kind,
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var name: String

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if maxConcurrent == nil, qos == nil, total == nil, rate == nil, !suspended {
            throw ValidationError("Give at least one setting: --max-concurrent, --qos, --total, --rate or --suspended.")
        }
    }

    func run() async throws {
        let change = QueueChange(
            name: name,
            maxConcurrent: maxConcurrent,
            qualityOfService: qos,
            isSuspended: suspended ? true : nil,
            total: total,
            startRate: rate
        )
        let changes = QueueChanges(of: [name], on: try global.connect())
        let report = try await changes.perform { _ in .setQueue(change) }
        try ChangeOutput(global).show(
            report,
            unchanged: "Nothing was changed: \(changes.subject) already had these settings."
        ) {
            _ in
            "Changed \(changes.subject)."
        }
    }

    static func limit(_ text: String) throws(ValidationError) -> QueueChange.Limit {
        guard let limit = Int32(text, radix: 10), limit >= -1 else {
            throw ValidationError("Please provide a whole number, 0 or more, or -1 for no limit.")
        }
        return limit == -1 ? .unlimited : .atMost(Int(limit))
    }

    static func rate(_ text: String) throws(ValidationError) -> QueueChange.Rate {
        guard let rate = QueueChange.Rate(text) else {
            throw ValidationError("Please provide \(StartRate.forms), or \(QueueChange.Rate.unlimitedWord).")
        }
        return rate
    }

    static func total(_ text: String) throws(ValidationError) -> Int {
        guard let total = Int32(text, radix: 10), total >= 0 else {
            throw ValidationError("Please provide a whole number, 1 or more, or 0 for no progress.")
        }
        return Int(total)
    }
}
