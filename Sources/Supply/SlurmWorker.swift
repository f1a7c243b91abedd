@_spi(Baton) public import BatonOperations

/// The worker in a job of Slurm, and the resources of the job.
@_spi(Baton) public struct SlurmWorker: Hashable, Sendable {
    /// The label by which the coordinator knows which job a worker is in.
    public static let jobLabel = "slurm-job"
    /// The time between the signal to drain, with the worker's own drain timeout, and the end of the job: Slurm may be late, and so may a
    /// worker that ends its operations.
    public static let margin = Duration.seconds(20)
    /// The least time that a worker has for its operations.
    public static let leastTime = Duration.seconds(30)

    /// The words before those of the worker: the path of the program on the nodes.
    public var program: String
    /// The number of operations that the worker runs at once.
    public var slots: Int
    /// The processors for operations, in thousandths; nil for all of the job.
    public var cpus: Int?
    /// The memory for operations in bytes; nil for all of the job.
    public var memory: Int64?
    /// The time from the start of the job to its end; nil for the limit of the partition, which the worker does not know.
    public var timeLimit: Duration?
    /// The time that executing operations have to finish before the end.
    public var drainTimeout: Duration
    /// The time without anything to do after which the worker leaves.
    public var idleExit: Duration
    /// Further arguments of the worker's command, such as the address of the coordinator and labels.
    public var arguments: [String]

    /// Describes a worker.
    public init(
        program: String,
        slots: Int,
        cpus: Int? = nil,
        memory: Int64? = nil,
        timeLimit: Duration? = nil,
        drainTimeout: Duration = .seconds(40),
        idleExit: Duration = .seconds(300),
        arguments: [String] = []
    ) {
        self.program = program
        self.slots = slots
        self.cpus = cpus
        self.memory = memory
        self.timeLimit = timeLimit
        self.drainTimeout = drainTimeout
        self.idleExit = idleExit
        self.arguments = arguments
    }

    /// The whole minutes that Slurm is asked for; nil without a limit.
    var minutes: Int64? { timeLimit.map { max(1, ($0.microseconds + 59_999_999) / 60_000_000) } }

    /// The seconds before the end of the job at which Slurm sends SIGTERM.
    var warningSeconds: Int64 { (drainTimeout + Self.margin).microseconds / 1_000_000 }

    /// The time from the start of the worker to its drain; nil without a limit.
    public var time: Duration? { minutes.map { .seconds($0 * 60) - drainTimeout - Self.margin } }

    /// The most seconds before the end of a job at which Slurm sends a signal.
    private static let mostWarningSeconds: Int64 = 65_535

    /// The sentence that refuses the times of the worker; nil if the times are possible.
    public var objection: String? {
        guard warningSeconds <= Self.mostWarningSeconds else {
            let most = Duration.seconds(Self.mostWarningSeconds).text
            return "Slurm sends its signal at most \(most) before the end of a job: give a shorter drain timeout."
        }
        guard let time, time < Self.leastTime else { return nil }
        let least = drainTimeout + Self.margin + Self.leastTime
        return
            "A worker with this time limit would drain at once: it needs at least \(least.text), or a shorter drain timeout."
    }

    /// The line that the shell of Slurm runs: the worker replaces the shell of the batch script, so that Slurm's signals reach the worker.
    func line(name: String, number: Int) -> String {
        var words = ["exec", program, "worker", "--name", "\(name)-\(number)", "--replace", "--slots", "\(slots)"]
        words += ["--idle-exit", idleExit.text, "--drain-timeout", drainTimeout.text]
        if let time { words += ["--time-limit", time.text] }
        words += arguments
        return words.map(ShellWords.quoted).joined(separator: " ") + #" --label="\#(Self.jobLabel)=$SLURM_JOB_ID""#
    }
}
