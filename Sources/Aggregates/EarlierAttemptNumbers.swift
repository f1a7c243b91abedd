@_spi(Baton) import BatonOperations

/// The last of the earlier attempts of each operation of a page.
///
/// An operation that waits for its next attempt, or was cancelled then, has its last attempt among the earlier ones.
struct EarlierAttemptNumbers {
    private let attempts: [EarlierAttempt]
    private var next = 0

    init(_ page: HistoryPage) {
        attempts = page.attempts
    }

    /// The number of the last of an operation's earlier attempts; 0 for none.
    ///
    /// Operations have to come in order.
    mutating func last(of operation: UInt32) -> UInt32 {
        while next < attempts.count, attempts[next].operation < operation { next += 1 }
        var last: UInt32 = 0
        while next < attempts.count, attempts[next].operation == operation {
            last = attempts[next].attempt
            next += 1
        }
        return last
    }
}
