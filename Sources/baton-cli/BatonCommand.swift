@_spi(Baton) import BatonArguments

/// The command `baton`: the root of all commands.
struct BatonCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baton",
        abstract: "Runs operations with dependencies and priorities on several hosts.",
        discussion: """
            One coordinator keeps the graph and decides the order, workers run the operations, and no submitted operation is \
            lost when a process dies. Jobs have numbers (12), operations have addresses (12/3, or 12/sepia by name).
            """,
        version: BatonVersion.current,
        examples: [
            Example("baton start --workers 2", "Start a coordinator and two workers on this host"),
            Example("baton run -- make -j4", "Run a command there and show its output"),
            Example("baton submit --file graph.json", "Submit a graph of operations"),
        ],
        groupedSubcommands: [
            CommandGroup(
                name: "Process",
                subcommands: [
                    CoordinatorCommand.self, WorkerCommand.self, StartCommand.self, ShutdownCommand.self,
                    HealthCommand.self, ServiceCommand.self, BackupCommand.self, RestoreCommand.self, StoreCommand.self,
                ]
            ),
            CommandGroup(
                name: "Job",
                subcommands: [
                    SubmitCommand.self, CloseCommand.self, RunCommand.self, WithJobCommand.self,
                    MakeShellCommand.self, AttachCommand.self, CheckCommand.self, WaitCommand.self,
                    CancelCommand.self, RetryCommand.self, ListCommand.self, ShowCommand.self, ExportCommand.self,
                    FailuresCommand.self, SummaryCommand.self, TraceCommand.self, GraphCommand.self,
                    ExplainCommand.self, LogCommand.self, ResultCommand.self, FilesCommand.self, FetchCommand.self,
                ]
            ),
            CommandGroup(
                name: "Change",
                subcommands: [
                    HoldCommand.self, ReleaseCommand.self, PriorityCommand.self, DependCommand.self,
                    UndependCommand.self, AddCommandCommand.self, DeleteCommand.self, PauseCommand.self,
                    ResumeCommand.self, SignalCommand.self,
                ]
            ),
            CommandGroup(
                name: "Cluster",
                subcommands: [
                    StatusCommand.self, TopCommand.self, DashboardCommand.self, WatchCommand.self, OTLPCommand.self,
                    WorkersCommand.self, DrainCommand.self, UndrainCommand.self, StopCommand.self, QueueCommand.self,
                    ScheduleCommand.self, LimitCommand.self, SupplyCommand.self,
                ]
            ),
            CommandGroup(
                name: "Key",
                subcommands: [
                    AuthorizeCommand.self, KeysCommand.self, RevokeCommand.self, JoinCommand.self, DoctorCommand.self,
                ]
            ),
            CommandGroup(
                name: "Other",
                subcommands: [
                    ProgressCommand.self, BenchCommand.self, ImportCommand.self, CompletionCommand.self,
                    ManualCommand.self, CompleteCommand.self,
                ]
            ),
        ]
    )

    @OptionGroup(title: "Global Options") var global: GlobalOptions
}
