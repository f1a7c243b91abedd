@_spi(Baton) public import BatonArguments
@_spi(Baton) public import BatonOperations
@_spi(Baton) public import BatonScheduler

extension Address: ExpressibleByArgument {
    /// Jobs by number, and their operations.
    public static var defaultCompletionKind: CompletionKind { CompletionSubject.dependencies.kind }

    /// Reads an address in the notation of the command line.
    public init?(argument: String) {
        self.init(argument)
    }

    /// The form of an address.
    public static var expectation: String { "a job such as 12, or an operation such as 12/3 or 12/sepia" }

    /// The address of an operation: a job's number stands for the job's first operation.
    var operation: Address {
        if case .job(let job) = self { return .operation(OperationID(job: job, index: 0)) }
        return self
    }
}

extension DependencyAddress: ExpressibleByArgument {
    /// Jobs by number, and their operations.
    public static var defaultCompletionKind: CompletionKind { CompletionSubject.dependencies.kind }

    /// Reads a dependency in the notation of the command line.
    public init?(argument: String) {
        self.init(argument)
    }

    /// The form of a dependency.
    public static var expectation: String { Address.expectation }
}

extension OperationState: ExpressibleByArgument {
    /// Reads a state by its word.
    public init?(argument: String) {
        guard let state = Self.allCases.first(where: { $0.description == argument }) else { return nil }
        self = state
    }

    /// The words of the states.
    public static var allValueStrings: [String] { allCases.map(\.description) }
}

extension Outcome: ExpressibleByArgument {
    /// Reads an outcome by its word.
    public init?(argument: String) {
        guard let outcome = Self.allCases.first(where: { $0.description == argument }) else { return nil }
        self = outcome
    }

    /// The words of the outcomes.
    public static var allValueStrings: [String] { allCases.map(\.description) }
}

extension Priority: ExpressibleByArgument {
    /// Reads a priority by its name or as a number.
    public init?(argument: String) {
        self.init(argument)
    }

    /// The names of the priorities.
    public static var allValueStrings: [String] { allCases.map(\.description) }

    /// Names and numbers.
    public static var expectation: String { "veryLow, low, normal, high, veryHigh or a whole number" }
}

extension OperationSignal: ExpressibleByArgument {
    /// Reads a signal by its name, with or without `SIG`.
    public init?(argument: String) {
        let name = argument.uppercased()
        self.init(rawValue: name.hasPrefix("SIG") ? String(name.dropFirst(3)) : name)
    }

    /// The names of the signals.
    public static var allValueStrings: [String] { allCases.map(\.rawValue) }
}

extension QualityOfService: ExpressibleByArgument {
    /// Reads a class by its name.
    public init?(argument: String) {
        self.init(argument)
    }

    /// The names of the classes.
    public static var allValueStrings: [String] { allCases.map(\.description) }
}

extension ScheduleOverlap: ExpressibleByArgument {
    /// Reads a rule by its name.
    public init?(argument: String) {
        self.init(argument)
    }

    /// The names of the rules.
    public static var allValueStrings: [String] { allCases.map(\.description) }
}

extension ScheduleCatchUp: ExpressibleByArgument {
    /// Reads a rule by its name.
    public init?(argument: String) {
        self.init(argument)
    }

    /// The names of the rules.
    public static var allValueStrings: [String] { allCases.map(\.description) }
}

extension SendAhead: ExpressibleByArgument {
    /// Reads `auto`, or a number of operations.
    public init?(argument: String) {
        if argument == "auto" {
            self = .automatic
        } else if let limit = UInt16(argument, radix: 10) {
            self = .atMost(Int(limit))
        } else {
            return nil
        }
    }

    /// The word `auto`, or the number.
    public var defaultValueDescription: String {
        switch self {
        case .automatic: "auto"
        case .atMost(let limit): String(limit)
        }
    }

    /// Completes the word `auto`.
    public static var defaultCompletionKind: CompletionKind { .list(["auto"]) }

    /// The form of the value.
    public static var expectation: String { "auto, or a whole number from 0 to \(UInt16.max)" }
}

/// Options with a duration as value.
enum DurationOption {
    /// Reads a duration in the notation of the command line.
    static func read(_ text: String) throws(ValidationError) -> Duration {
        guard let duration = Duration(text: text) else {
            throw ValidationError(
                "Please provide a duration with its unit, such as 250ms, 10s, 5m or 1h30m, of at most "
                    + "\(Duration.longestAllowedText)."
            )
        }
        return duration
    }

    /// Reads the time limit of an attempt.
    static func timeout(_ text: String) throws(ValidationError) -> Duration {
        let timeout = try read(text)
        guard timeout > .zero else {
            throw ValidationError(Template.timeoutRule.prefix(1).uppercased() + Template.timeoutRule.dropFirst() + ".")
        }
        return timeout
    }
}

/// Arguments with the name of an operation or queue.
enum NameArgument {
    /// Reads a name, checked by the rule for all names.
    static func read(_ text: String) throws(ValidationError) -> String {
        let name = Name.normalized(text)
        if let objection = Name.objection(to: name) {
            throw ValidationError(objection.prefix(1).uppercased() + objection.dropFirst() + ".")
        }
        return name
    }

    /// Reads the name of a job.
    static func readJob(_ text: String) throws(ValidationError) -> String {
        if let objection = AddressPattern.objection(toJobName: text) {
            throw ValidationError(objection.prefix(1).uppercased() + objection.dropFirst() + ".")
        }
        return Name.normalized(text)
    }

    /// Reads the key of a submission.
    static func readKey(_ text: String) throws(ValidationError) -> String {
        let key = Name.normalized(text)
        if let objection = Name.objection(toKey: key) {
            throw ValidationError(objection.prefix(1).uppercased() + objection.dropFirst() + ".")
        }
        return key
    }
}
