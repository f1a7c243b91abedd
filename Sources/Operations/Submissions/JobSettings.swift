/// What a submission says about its job as a whole; most submissions say nothing.
@_spi(Baton) public struct JobSettings: Hashable, Sendable {
    /// The number of failed operations at which the coordinator cancels what has not started; nil for no such number.
    public var maxFailures: UInt32?
    /// Whether the coordinator then cancels what executes, too.
    public var cancelRunning: Bool
    /// The time from the submission to the moment at which each operation that is not finished ends as failed; nil for none (SC5).
    public var deadline: Duration?
    /// The commands that are run once the job is finished; nil for none.
    public var hooks: JobHooks?
    /// The tags by which people find the job: values by key, at most ``JobTag/maximumCount``.
    public var tags: [String: String]
    /// The finished job whose results the operations take that are the same as operations that succeeded there; nil for none.
    public var reuse: JobNumber?
    /// How long after the end of the job its files are kept, even if nothing needs them; nil for no such time.
    public var keepFiles: Duration?
    /// The most bytes of the files that the job's operations leave altogether; nil for what the coordinator allows each job.
    public var filesLimit: Int64?

    /// Describes a job; the default values say nothing.
    public init(
        maxFailures: UInt32? = nil,
        cancelRunning: Bool = false,
        deadline: Duration? = nil,
        hooks: JobHooks? = nil,
        tags: [String: String] = [:],
        reuse: JobNumber? = nil,
        keepFiles: Duration? = nil,
        filesLimit: Int64? = nil
    ) {
        self.maxFailures = maxFailures
        self.cancelRunning = cancelRunning
        self.deadline = deadline
        self.hooks = hooks
        self.tags = tags
        self.reuse = reuse
        self.keepFiles = keepFiles
        self.filesLimit = filesLimit
    }

    /// Whether the settings say nothing.
    public var isEmpty: Bool {
        maxFailures == nil && !cancelRunning && deadline == nil && hooks == nil && tags.isEmpty && reuse == nil
            && keepFiles == nil && filesLimit == nil
    }

    /// The limits that the files of a job may have, in bytes.
    public static let filesLimits: ClosedRange<Int64> = 1...ByteSize.maximum

    /// The forms of a limit of files, for the end of an error's sentence.
    public static let filesLimitForms = "\(ByteSize.forms), from 1B to \(ByteSize.text(of: filesLimits.upperBound))"

    /// Refuses settings that make no sense.
    ///
    /// - Throws: ``Refusal`` `invalid`, with the broken rule.
    func check() throws(Refusal) {
        if maxFailures == 0 {
            throw Refusal(.invalid, "The job's maximum of failures is 0, and has to be 1 or more.")
        }
        if cancelRunning, maxFailures == nil {
            throw Refusal(
                .invalid,
                "The job is to cancel what executes at its maximum of failures, and has no maximum. Give one, too."
            )
        }
        if let deadline, let objection = OptionForm.deadline.objection(to: .duration(deadline)) {
            throw Refusal(.invalid, "The deadline of the job \(objection).")
        }
        if let keepFiles, let objection = OptionForm.duration.objection(to: .duration(keepFiles)) {
            throw Refusal(.invalid, "The time for which the files of the job are kept \(objection).")
        }
        if let filesLimit, !Self.filesLimits.contains(filesLimit) {
            throw Refusal(.invalid, "The limit of the job's files has to be \(Self.filesLimitForms).")
        }
        try hooks?.check()
        try JobTag.check(tags)
    }
}

/// The commands that are run once a job is finished, each at least once, on a worker (CM9).
@_spi(Baton) public struct JobHooks: Hashable, Sendable {
    /// When a command is run.
    public enum Moment: String, CaseIterable, Sendable {
        /// Once the job is finished, whatever its outcome.
        case finish
        /// Once the job has succeeded.
        case success
        /// Once the job has failed.
        case failure

        /// Whether the moment comes with an outcome of the job.
        public func comes(with outcome: Outcome) -> Bool {
            switch self {
            case .finish: true
            case .success: outcome == .succeeded
            case .failure: outcome == .failed
            }
        }
    }

    /// The commands, each a program with its arguments.
    public var commands: [Moment: [String]]
    /// The environment variables of the commands.
    public var environment: [String: String]
    /// The directory of the commands; nil for that of the worker.
    public var directory: String?
    /// The time limit of each command; nil for none.
    public var timeout: Duration?

    /// Describes hooks.
    public init(
        _ commands: [Moment: [String]],
        environment: [String: String] = [:],
        directory: String? = nil,
        timeout: Duration? = nil
    ) {
        self.commands = commands
        self.environment = environment
        self.directory = directory
        self.timeout = timeout
    }

    func check() throws(Refusal) {
        guard !commands.isEmpty else { throw Refusal(.invalid, "The job has hooks without a command.") }
        for (moment, command) in commands {
            if let objection = OptionForm.command.objection(to: .texts(command)) {
                throw Refusal(.invalid, "The hook \"\(moment.rawValue)\" of the job \(objection).")
            }
        }
        if let objection = OptionForm.variables.objection(toSubmitted: .variables(environment)) {
            throw Refusal(.invalid, "The environment of the job's hooks \(objection).")
        }
        if let path = directory.map(OptionValue.text),
            let objection = OptionForm.directory.objection(toSubmitted: path)
        {
            throw Refusal(.invalid, "The directory of the job's hooks \(objection).")
        }
        if let timeout, let objection = OptionForm.timeLimit.objection(to: .duration(timeout)) {
            throw Refusal(.invalid, "The timeout of the job's hooks \(objection).")
        }
    }
}
