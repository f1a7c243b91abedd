public import Arguments
public import Operations

extension Address: ExpressibleByArgument {
    /// Reads an address as users type it.
    public init?(argument: String) {
        self.init(argument)
    }

    /// What addresses look like.
    public static var expectation: String { "a job such as 12, or an operation such as 12/3 or 12/sepia" }

    /// The operation that is meant where one is asked for: a job's number means its first one.
    var operation: Address {
        if case .job(let job) = self { return .operation(OperationID(job: job, index: 0)) }
        return self
    }
}

extension Priority: ExpressibleByArgument {
    /// Reads a level by its name or as a number.
    public init?(argument: String) {
        self.init(argument)
    }

    /// The names of the levels.
    public static var allValueStrings: [String] { allCases.map(\.description) }

    /// Names and numbers.
    public static var expectation: String { "veryLow, low, normal, high, veryHigh or a whole number" }
}

extension QualityOfService: ExpressibleByArgument {
    /// Reads a class by its name.
    public init?(argument: String) {
        self.init(argument)
    }

    /// The names of the classes.
    public static var allValueStrings: [String] { allCases.map(\.description) }
}

extension Work.GracePeriod: ExpressibleByArgument {
    /// Reads a duration, or `forever`.
    public init?(argument: String) {
        if argument == "forever" {
            self = .forever
        } else if let duration = Duration(text: argument) {
            self = .after(duration)
        } else {
            return nil
        }
    }

    /// What it looks like.
    public static var expectation: String { "a duration such as 250ms, 10s, 5m or 2h, or forever" }
}

/// Options that are durations.
enum DurationOption {
    /// Reads a duration as users type it.
    static func read(_ text: String) throws(ValidationError) -> Duration {
        guard let duration = Duration(text: text) else {
            throw ValidationError("Please provide a duration such as 250ms, 10s, 5m or 2h.")
        }
        return duration
    }
}

/// A variable and its value, as `--env` takes them.
struct EnvironmentAssignment: ExpressibleByArgument, Hashable {
    var name: String
    var value: String

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
        name = String(argument[..<equals])
        value = String(argument[argument.index(after: equals)...])
    }

    static var expectation: String { "a variable and its value, such as LANG=C" }
}
