@_spi(Baton) public import BatonOperations

/// The failed operations of a job that failed alike.
@_spi(Baton) public struct FailureGroup: Hashable, Sendable {
    /// What the failures have in common.
    public var kind: FailureKind
    /// How many operations failed so.
    public var count: Int
    /// The indices of the first operations, in order.
    public var first: [UInt32]

    /// The most indices in ``first``.
    public static let mostListed = 10

    /// Whether a group comes before another: the larger first, and of equal groups the one that begins first.
    ///
    /// The place in this order is the number of a group; it is settled once the job is finished.
    static func isBefore(_ left: FailureGroup, _ right: FailureGroup) -> Bool {
        (right.count, left.first.first ?? 0) < (left.count, right.first.first ?? 0)
    }
}
