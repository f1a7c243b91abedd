@_spi(Baton) import BatonOperations

/// The position of an operation in its queue: higher priorities first, and FIFO within a priority (PR2, PR3).
///
/// Within a priority, the operation that has had the priority longest comes first: an operation whose priority changes goes to
/// the end of its new priority (PR6).
struct OperationRank: Comparable {
    /// The priority in the upper byte, the highest first, and the order within the priority below.
    private let rawValue: UInt64

    /// Makes a rank.
    ///
    /// - Parameters:
    ///   - priority: the operation's priority.
    ///   - order: the operation's number in the order in which priorities were given, below 2^56.
    @inline(__always) init(priority: Priority, order: UInt64) {
        rawValue = UInt64(Priority.veryHigh.rawValue - priority.rawValue) << 56 | order
    }

    @inline(__always) static func < (left: OperationRank, right: OperationRank) -> Bool {
        left.rawValue < right.rawValue
    }
}
