/// The form of an option's values: their type and their range.
@_spi(Baton) public enum OptionForm: Hashable, Sendable {
    /// True or false; the command line sets true by the bare name.
    case flag
    /// A whole number in a range.
    case number(ClosedRange<Int64>)
    /// A word from a list.
    case word([String])
    /// The number of a priority; files and command lines give a name, or any number, which is clamped (PR5).
    case priority
    /// A duration from zero to ``Swift/Duration/longestAllowed``.
    case duration
    /// A duration above zero; a missing value stands for no bound.
    case timeLimit
    /// A duration, or no end.
    case durationOrForever
    /// A duration above zero; files and command lines also give a time, which becomes the duration until then.
    case deadline
    /// The path of a directory.
    case directory
    /// The path of a file.
    case file
    /// The path of a file for output, with places that the worker fills; see ``OutputFilePath``.
    case outputFile
    /// Bytes for standard input, at most ``Work/maximumInputLength``; graph files give a text.
    case data
    /// The names of columns, each empty or given once.
    case columns
    /// A program with its arguments.
    case command
    /// Environment variables with their values.
    case variables
    /// A number of processors, in thousandths; 0 asks for none.
    case processors
    /// A number of bytes; 0 asks for none.
    case size
    /// Units of named resources.
    case amounts
    /// Conditions for the labels of a worker.
    case conditions
    /// Conditions for the ends of attempts; see ``EndCondition``.
    case ends
    /// Exit statuses, as conditions for the ends of attempts.
    case statuses
    /// The permissions that new files do not get; see ``FileMask``.
    case mask
    /// Patterns for the files that an operation leaves; see ``OutputPattern``.
    case patterns
    /// Places of inputs in the operation's directory, by the patterns that pick them; see ``InputPick``.
    case picks

    /// Returns why a value is not allowed, as the end of a sentence that begins with the option; nil for an allowed value.
    public func objection(to value: OptionValue) -> String? {
        switch (self, value) {
        case (.flag, .flag), (.durationOrForever, .forever): nil
        case (.number(let range), .number(let number)):
            range.contains(number) ? nil : "is \(number), and has to be \(Self.text(of: range))"
        case (.word(let words), .text(let text)):
            words.contains(text) ? nil : "is \"\(text.asShown)\", and has to be \(Self.choice(of: words))"
        case (.priority, .number(let number)):
            Priority(value) == nil ? "is \(number), which is no priority" : nil
        case (.timeLimit, .duration(.zero)): "is 0s: \(Template.timeoutRule)"
        case (.deadline, .duration(.zero)): "is 0s: \(Self.deadlineRule)"
        case (.duration, .duration(let duration)), (.timeLimit, .duration(let duration)),
            (.durationOrForever, .duration(let duration)), (.deadline, .duration(let duration)):
            duration < .zero || duration > .longestAllowed ? "is negative or above 10000 days" : nil
        case (.directory, .text(let path)), (.file, .text(let path)):
            path.utf8.contains(0) ? Self.nulObjection : nil
        case (.outputFile, .text(let path)): OutputFilePath.objection(to: path)
        case (.data, .data(let bytes)):
            bytes.count > Work.maximumInputLength
                ? "has \(bytes.count) bytes, more than \(Work.maximumInputLength): give a file that the worker can read"
                : nil
        case (.columns, .texts(let names)): RowTable.objection(toColumns: names)
        case (.command, .texts(let words)): Self.objection(toCommand: words)
        case (.variables, .variables(let variables)): Self.objection(to: variables)
        case (.processors, .thousandths(let number)):
            (0...ResourceRequest.maximumCPUs).contains(number) ? nil : Self.processorsObjection
        case (.size, .bytes(let number)):
            (0...ByteSize.maximum).contains(number)
                ? nil : "has to be from 0 to \(ByteSize.text(of: ByteSize.maximum))"
        case (.amounts, .amounts(let amounts)): Self.objection(to: amounts)
        case (.conditions, .texts(let texts)): Self.objection(toConditions: texts)
        case (.ends, .texts(let texts)): Self.objection(toEnds: texts, areStatuses: false)
        case (.mask, .text(let text)):
            FileMask(text) == nil ? "is \"\(text.asShown)\", and has to be \(FileMask.form)" : nil
        case (.statuses, .texts(let texts)): Self.objection(toEnds: texts, areStatuses: true)
        case (.patterns, .texts(let texts)): Self.objection(toPatterns: texts)
        case (.picks, .places(let places)): InputPick.objection(to: places)
        default: "has a value of another type"
        }
    }

    /// The rule for deadlines, as the end of a sentence: with a deadline of zero, nothing would run.
    public static let deadlineRule = "a deadline has to be above zero; leave it out for none"

    /// The rule for durations as deadlines, as the end of a sentence: no wait is longer.
    public static let longestDeadlineRule = "a deadline is at most \(Duration.longestAllowedText) after the submission"

    /// The forms of a deadline, for the end of an error's sentence.
    public static let deadlineForms = "a duration such as 2h, \(WrittenTime.forms)"

    /// The end of a sentence about a text with a NUL.
    private static let nulObjection = "has a NUL in it, which no program can be given"

    private static func objection(toCommand words: [String]) -> String? {
        guard let program = words.first, !program.isEmpty else {
            return "is empty: give a program and its arguments"
        }
        return words.contains { $0.utf8.contains(0) } ? nulObjection : nil
    }

    private static func objection(to variables: [String: String]) -> String? {
        for (variable, value) in variables {
            if variable.isEmpty || variable.utf8.contains(UInt8(ascii: "=")) {
                return "has \"\(variable.asShown)\", which is not a name for an environment variable"
            }
            if variable.utf8.contains(0) || value.utf8.contains(0) {
                return "has the variable \"\(variable.asShown)\", which \(nulObjection)"
            }
        }
        return nil
    }

    private static let processorsObjection =
        "has to be from 0 to \(Thousandths.text(of: ResourceRequest.maximumCPUs)) processors"

    private static func objection(to amounts: [String: Int64]) -> String? {
        guard amounts.count <= ResourceName.maximumCount else {
            return "has more than \(ResourceName.maximumCount) resources"
        }
        for (name, amount) in amounts.sorted(by: { $0.key < $1.key }) {
            guard ResourceName.isValid(name) else {
                return "has \"\(name.asShown)\", which is not a resource's name: \(ResourceName.rule)"
            }
            guard (1...ResourceName.maximumAmount).contains(amount) else {
                return "has \(amount) of \"\(name)\", and has to be \(text(of: 1...ResourceName.maximumAmount))"
            }
        }
        return nil
    }

    private static func objection(toConditions texts: [String]) -> String? {
        guard texts.count <= ResourceName.maximumCount else {
            return "has more than \(ResourceName.maximumCount) conditions"
        }
        for text in texts {
            guard let condition = LabelCondition(text) else {
                return "has \"\(text.asShown)\", which is not a condition: \(LabelCondition.forms)"
            }
            if case .oneOf(_, let values) = condition, values.count > ResourceName.maximumCount {
                return "has a condition with more than \(ResourceName.maximumCount) values"
            }
        }
        return nil
    }

    private static func objection(toEnds texts: [String], areStatuses: Bool) -> String? {
        guard texts.count <= EndCondition.maximumCount else {
            return "has more than \(EndCondition.maximumCount) values"
        }
        for text in texts {
            switch EndCondition(text) {
            case .statuses?: continue
            case .reason? where !areStatuses: continue
            case .reason?, nil:
                return areStatuses
                    ? "has \"\(text.asShown)\", which is no exit status of a failure: give \(EndCondition.statusForms)"
                    : "has \"\(text.asShown)\", which is no end of an attempt: give \(EndCondition.forms)"
            }
        }
        return nil
    }

    private static func objection(toPatterns texts: [String]) -> String? {
        guard texts.count <= OutputPattern.maximumCount else {
            return "has more than \(OutputPattern.maximumCount) patterns"
        }
        for text in texts {
            if let objection = OutputPattern.objection(to: text) {
                return "has \"\(text.asShown)\", which \(objection)"
            }
        }
        return nil
    }

    /// A value as people type and read it: a priority by its name, other values by ``OptionValue/description``.
    public func text(of value: OptionValue) -> String {
        self == .priority ? Priority(value)?.description ?? value.description : value.description
    }

    /// The range in words: `a whole number from 0 to 19`.
    public static func text(of range: ClosedRange<Int64>) -> String {
        "a whole number from \(range.lowerBound) to \(range.upperBound)"
    }

    /// The words of a list as a choice: `a, b or c`.
    public static func choice(of words: [String]) -> String {
        words.dropLast().joined(separator: ", ") + (words.count > 1 ? " or " : "") + (words.last ?? "")
    }
}
