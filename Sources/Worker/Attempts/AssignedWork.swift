@_spi(Baton) public import BatonOperations
@_spi(Baton) import BatonProcesses
@_spi(Baton) public import BatonWire

/// An attempt as received from the coordinator, with the work that attempts may share.
@_spi(Baton) public struct AssignedWork: Hashable, Sendable {
    /// The attempt.
    public let assignment: Assignment
    /// The work to run.
    public let work: Work
    /// The name of the operation's queue.
    public let queue: String
    /// The numbers of the units that a started attempt holds, by the names of the resources.
    public internal(set) var units: [String: [Int]] = [:]

    /// The place of a started attempt in the ledger of the directory; nil without a ledger.
    public internal(set) var startPlace: Int32?

    /// The inputs of a started Swift operation; commands get theirs as files.
    public internal(set) var inputs: [TypedInput] = []

    /// The files of dependencies of a started attempt of commands, all of which are kept here.
    public internal(set) var files: [InputFile] = []

    /// Whether the attempt gets results of dependencies as files: commands do, completion hooks do not.
    var hasInputs: Bool {
        guard case .commands = work.kind else { return false }
        return assignment.hasInputs && !assignment.isHook
    }

    /// Whether files are written before the attempt starts: the results of dependencies, or its standard input.
    var needsFiles: Bool { hasInputs || work.input != nil }

    /// Whether files are opened or written before the attempt starts, which may take a while.
    var needsPreparation: Bool { needsFiles || work.hasOutputFiles || hasWorkspace }

    /// Whether the attempt runs in a directory of its own.
    var hasWorkspace: Bool { work.workspace == .fresh && !assignment.isHook }

    /// Whether the attempt finds inputs in a directory of its own.
    var picksInputs: Bool { work.picksInputs && hasWorkspace }

    /// Whether the attempt leaves files when it succeeds.
    var leavesFiles: Bool { work.keepsFiles && !assignment.isHook }

    /// Whether the attempt gets its dependencies as values.
    var hasTypedInputs: Bool {
        guard case .typed = work.kind else { return false }
        return assignment.hasInputs && !assignment.isHook
    }

    /// The work's commands, with their places filled by the array's item and its columns.
    var commands: [[String]] {
        guard case .commands(let commands) = work.kind else { return [] }
        guard let item = assignment.arrayItem else { return commands }
        let placeholders = Placeholders(columns: work.columns)
        return commands.map { placeholders.filling($0, with: item) }
    }

    /// The patterns of the files that the attempt leaves, with their places filled as in commands.
    ///
    /// - Throws: ``BatonOperations/Refusal`` if an item makes a pattern of it that could lead out of the directory.
    var outputs: [OutputPattern] {
        get throws(Refusal) {
            var texts = work.outputs
            if let item = assignment.arrayItem {
                texts = Placeholders(columns: work.columns).filling(texts, with: item)
            }
            var patterns: [OutputPattern] = []
            for text in texts { patterns.append(try OutputPattern(text)) }
            return patterns
        }
    }

    /// The choices of inputs for the attempt's directory, with their places filled as in commands, in the order of their patterns.
    ///
    /// - Throws: ``BatonOperations/Refusal`` if an item makes a choice of it that could lead out of a directory.
    var picks: [InputPick] {
        get throws(Refusal) {
            var picks: [InputPick] = []
            for (pattern, place) in work.picks.sorted(by: { $0.key < $1.key }) {
                var texts = [pattern, place]
                if let item = assignment.arrayItem {
                    texts = Placeholders(columns: work.columns).filling(texts, with: item)
                }
                picks.append(try InputPick(texts[0], to: texts[1]))
            }
            return picks
        }
    }

    /// The span of the attempt, or for a hook the span that the hook follows; nil if the record is unknown.
    ///
    /// - Parameter record: the incarnation of the record's first start.
    func traceContext(in record: Incarnation) -> TraceContext? {
        guard record != .unknown else { return nil }
        let parent = work.environment.isEmpty ? nil : work.environment[TraceContext.parentVariable]
        let operation = assignment.operation
        let trace = JobTrace(of: operation.job, in: record, parent: parent.flatMap { TraceContext($0) })
        // The hook of a job belongs to no operation.
        guard operation.hookMoment == nil else { return trace.root }
        return trace.context(ofAttempt: assignment.attempt, of: operation.index)
    }

    /// The variables of the attempt alone, in addition to those that it shares with other attempts.
    ///
    /// - Parameters:
    ///   - shared: the environment of the attempt's work.
    ///   - result: `BATON_RESULT`, absent for a completion hook.
    ///   - inputs: `BATON_INPUTS`, absent for a completion hook.
    ///   - token: `BATON_TOKEN` in UTF-8; nil for a coordinator without keys.
    ///   - trace: `TRACEPARENT`; nil if the attempt's span is unknown.
    /// - Throws: `LaunchFailure` for a value that execve(2) cannot express.
    func variables(
        in shared: WorkEnvironment,
        result: String,
        inputs: String,
        token: [UInt8]?,
        trace: TraceContext?
    ) throws(LaunchFailure) -> LaunchVariables {
        // Room for all of them with paths and items of common lengths.
        var variables = LaunchVariables(reserving: 12, bytes: 1024)
        func set(_ variable: AttemptVariable, _ value: String?) throws(LaunchFailure) {
            if let value { try variables.set(shared.name(of: variable), to: value) }
        }
        try set(.trace, trace?.description)
        try set(.job, assignment.operation.job.description)
        try set(.name, assignment.name)
        // The hook of a job belongs to no operation.
        if assignment.operation.hookMoment == nil {
            try set(.operation, assignment.operation.description)
            try set(.attempt, String(assignment.attempt))
        }
        try set(.index, assignment.arrayNumber.map { String($0) })
        try set(.item, assignment.arrayItem)
        if let token { variables.set(shared.name(of: .token), toASCII: token) }
        if !assignment.isHook {
            try set(.result, result)
            try set(.inputs, inputs)
        }
        try set(.outcome, assignment.hookOutcome?.description)
        return variables
    }

    /// The variables with the numbers of the units that the attempt holds.
    ///
    /// - Parameter more: more names for such variables, by the names of the resources.
    func unitVariables(with more: [String: [String]]) -> [String: String] {
        var variables: [String: String] = [:]
        for (resource, numbers) in units {
            for name in [ResourceVariable.name(of: resource)] + (more[resource] ?? []) {
                variables[name] = ResourceVariable.value(numbers)
            }
        }
        return variables
    }

    /// The time between SIGTERM and SIGKILL; nil is for ever.
    var grace: Duration? {
        switch work.gracePeriod {
        case .after(let duration): duration
        case .forever: nil
        }
    }
}
