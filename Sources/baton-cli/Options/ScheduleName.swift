@_spi(Baton) import BatonArguments

/// The name of the schedule that a command is about.
struct ScheduleName: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Name of the schedule.", valueName: "name"),
        completion: CompletionSubject.schedules.kind,
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var schedule: String
}
