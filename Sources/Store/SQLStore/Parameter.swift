@_spi(Baton) import BatonOperations

/// The values that are given to a statement by name: `:exit_status` in its text is the case `exitStatus`.
///
/// A statement looks up the places of the names once, when it is compiled.
enum Parameter: Int, SQLName {
    case job, operation, attempt, entry, template, queue, queues, number, name, key, id, tag, value, count, clock
    /// The bounds of a range: `first` and `last` belong to the range, `from` is its start, and `end` is behind its last element.
    case first, last, tail, from, end, until, since, limit, event, afterAttempt
    case outcomes, worker, fromJob
    case step, floor
    case commands, data, dependencies, exitStatus, hasRun, isLastOnly, line, reason, signal, wantsStderr, wantsStdout

    /// The names with their colons, in the order of the cases.
    static let names = allCases.map { ":" + $0.name }

    /// The type of the values, the same in each statement: a server has to know it before it gets any value.
    var type: ColumnType {
        switch self {
        case .name, .key, .tag, .value, .queues, .outcomes, .worker, .commands, .dependencies, .line, .reason: .text
        case .data: .bytes
        case .job, .operation, .attempt, .entry, .template, .queue, .number, .id, .count, .clock, .first, .last, .tail,
            .from, .end, .until, .since, .limit, .event, .afterAttempt, .fromJob, .step, .floor, .exitStatus, .hasRun,
            .isLastOnly, .signal, .wantsStderr, .wantsStdout:
            .integer
        }
    }
}

/// Parameters by name.
extension Statement {
    /// Sets a parameter to a number, or NULL.
    func bind(_ parameter: Parameter, _ value: Int64?) { bind(place(of: parameter), value) }

    /// Sets a parameter to a number.
    func bind(_ parameter: Parameter, _ value: some FixedWidthInteger) { bind(place(of: parameter), value) }

    /// Sets several parameters to numbers.
    func bind<each Value: FixedWidthInteger>(_ values: repeat (Parameter, each Value)) {
        repeat bind((each values).0, (each values).1)
    }

    /// Sets a parameter to a text, or NULL.
    func bind(_ parameter: Parameter, text: String?) { bind(place(of: parameter), text: text) }

    /// Sets a parameter to a text given as UTF-8.
    func bind(_ parameter: Parameter, utf8: UnsafeBufferPointer<UInt8>) { bind(place(of: parameter), utf8: utf8) }

    /// Sets a parameter to bytes, or NULL.
    func bind(_ parameter: Parameter, bytes: [UInt8]?) { bind(place(of: parameter), bytes: bytes) }

    /// Sets a parameter to programs with their arguments.
    func bind(_ parameter: Parameter, commands: [[String]]) { bind(place(of: parameter), commands: commands) }

    /// Sets the parameters `job` and `operation`.
    func bind(_ operation: OperationID) {
        bind((.job, operation.job.rawValue), (.operation, operation.index))
    }
}
