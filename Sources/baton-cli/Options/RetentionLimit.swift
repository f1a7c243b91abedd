import BatonArguments
import BatonOperations

/// One limit of what is kept of finished jobs, as `--keep-finished` takes it.
enum RetentionLimit: ExpressibleByArgument, Hashable {
    /// No longer than this.
    case age(Duration)
    /// No more operations than this.
    case operations(Int)
    /// No limit at all.
    case forever

    /// What is limited.
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

    /// What it limits.
    var kind: Kind {
        switch self {
        case .age: .age
        case .operations: .operations
        case .forever: .both
        }
    }

    /// The word that shells can complete.
    static var defaultCompletionKind: CompletionKind { .list(["forever"]) }

    static var expectation: String {
        "a duration with its unit, such as 12h or 7d, a number of operations from 1, or forever"
    }
}
