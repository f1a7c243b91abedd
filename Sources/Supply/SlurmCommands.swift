/// The command lines of Slurm that a supply runs.
@_spi(Baton) public struct SlurmCommands: Hashable, Sendable {
    /// The name of the supply.
    public var supply: String
    /// The worker of each job.
    public var worker: SlurmWorker
    /// The user's own arguments of sbatch, such as a partition.
    public var arguments: [String]

    /// Describes a supply.
    public init(supply: String, worker: SlurmWorker, arguments: [String]) {
        self.supply = supply
        self.worker = worker
        self.arguments = arguments
    }

    /// The name of the jobs.
    public var jobName: String { "baton-" + supply }

    /// The command that submits a job.
    ///
    /// The user's arguments come after the options for the size of the worker, and before the options by which the supply recognizes its
    /// jobs.
    public func submission(_ comment: SupplyComment) -> [String] {
        var words = ["sbatch"]
        let processors = worker.cpus.map { ($0 + 999) / 1_000 } ?? worker.slots
        words.append("--cpus-per-task=\(max(1, processors))")
        if let memory = worker.memory { words.append("--mem=\((memory + (1 << 20) - 1) >> 20)M") }
        words += arguments
        // Jobs must not be requeued: the supply would take a requeued job for the earlier worker.
        words += ["--parsable", "--no-requeue", "--job-name=\(jobName)", "--comment=\(comment.text)"]
        if let minutes = worker.minutes {
            words += ["--time=\(minutes)", "--signal=B:TERM@\(worker.warningSeconds)"]
        }
        words.append("--wrap=" + worker.line(name: jobName, number: comment.number))
        return words
    }

    /// The command that only asks whether Slurm would take a job.
    public var test: [String] {
        let words = submission(SupplyComment(supply: supply, number: 1, mark: "test"))
        return ["sbatch", "--test-only"] + words.dropFirst()
    }

    /// The command that lists the jobs of the supply, including jobs that have ended lately.
    public var list: [String] {
        ["squeue", "--noheader", "--me", "--all", "--states=all", "--name=\(jobName)", "--format=%i|%T|%r|%k"]
    }

    /// The command that cancels jobs that wait; jobs that have started meanwhile go on, and their workers leave when they are idle.
    public func cancellation(of jobs: [String]) -> [String] { ["scancel", "--state=PENDING"] + jobs }

    // MARK: - Arguments of the user

    /// The options that a supply sets itself, and the options that would make a job different from one worker.
    private static let refusedLong = [
        "array", "clusters", "comment", "job-name", "parsable", "requeue", "signal", "test-only", "time", "wait",
        "wrap",
    ]
    private static let refusedShort: [Character: String] = [
        "a": "array", "M": "clusters", "J": "job-name", "t": "time", "W": "wait",
    ]

    /// The sentence that refuses an argument of sbatch; nil if no argument is refused.
    ///
    /// sbatch takes unambiguous beginnings of its options too.
    public static func objection(to arguments: [String]) -> String? {
        for argument in arguments {
            guard let option = refused(argument) else { continue }
            if option == "time" {
                return "The option \(argument) of sbatch is set from --time-limit. Give that instead."
            }
            return "The option --\(option) of sbatch is set by the supply. Leave out \(argument)."
        }
        return nil
    }

    private static func refused(_ argument: String) -> String? {
        if argument.hasPrefix("--") {
            let word = String(argument.dropFirst(2).prefix { $0 != "=" })
            guard word.count >= 3 else { return nil }
            return refusedLong.first { $0.hasPrefix(word) }
        }
        guard argument.first == "-", let letter = argument.dropFirst().first else { return nil }
        return refusedShort[letter]
    }
}
