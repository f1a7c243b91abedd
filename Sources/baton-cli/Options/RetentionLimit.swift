@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations

/// One limit for finished jobs, as a value of `--keep-finished`.
enum RetentionLimit: ExpressibleByArgument, Hashable {
    /// The maximum age of finished jobs.
    case age(Duration)
    /// The maximum number of finished operations.
    case operations(Int)
    /// No limit.
    case forever

    /// The limited quantity.
    enum Kind: Hashable {
        case age, operations, both
    }

    init?(argument: String) {
        if argument == "forever" {
            self = .forever
        } else if argument.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            guard let count = Int(argument), count > 0 else { return nil }
            self = .operations(count)
        } else if let age = Duration(text: argument), age > .zero {
            self = .age(age)
        } else {
            return nil
        }
    }

    /// The quantity limited by this value.
    var kind: Kind {
        switch self {
        case .age: .age
        case .operations: .operations
        case .forever: .both
        }
    }

    /// Completes the word `forever`.
    static var defaultCompletionKind: CompletionKind { .list(["forever"]) }

    static var expectation: String {
        "a duration with its unit, such as 12h or 7d, a number of operations from 1, or forever"
    }
}
