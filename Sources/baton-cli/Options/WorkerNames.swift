@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations

/// The workers that a command is about.
struct WorkerNames: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Workers, by name.", valueName: "worker"),
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var workers: [String]

    /// The names for sentences: `worker w1`, `workers w1 and w2`.
    var subject: String {
        let names = workers.map(\.asShown)
        guard let last = names.last, names.count > 1 else { return "worker \(names.first ?? "")" }
        return "workers \(names.dropLast().joined(separator: ", ")) and \(last)"
    }
}
