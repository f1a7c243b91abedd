@_spi(Baton) public import BatonArguments
@_spi(Baton) public import BatonOperations

extension AddressPattern: ExpressibleByArgument {
    /// Reads a pattern in the notation of the command line.
    public init?(argument: String) {
        self.init(argument)
    }

    /// Jobs and their operations.
    public static var defaultCompletionKind: CompletionKind { CompletionSubject.addresses.kind }

    /// The form of a pattern.
    public static var expectation: String {
        "a job such as 12, last or its name, or operations of one such as 12/3, 12/sepia, 12/[3-9,20] or 12/test-*"
    }
}

/// A whole job, as users name it.
struct JobArgument: ExpressibleByArgument {
    let job: AddressPattern.Job

    /// Reads a job; nil for operations of a job.
    init?(argument: String) {
        guard let pattern = AddressPattern(argument), pattern.part == .all else { return nil }
        job = pattern.job
    }

    /// Jobs.
    static var defaultCompletionKind: CompletionKind { CompletionSubject.jobs.kind }

    /// The forms of a job.
    static var expectation: String { "a job such as 12, last or its name" }
}
