/// How many operations or jobs have ended with each outcome.
@_spi(Baton) public struct EndCounts: Hashable, Sendable {
    /// The number of those that ended without an error.
    public var succeeded = 0
    /// The number of those that ended with an error.
    public var failed = 0
    /// The number of those that ended at the request of a user.
    public var cancelled = 0
    /// The number of those that never ran; always 0 for jobs.
    public var skipped = 0

    /// Makes counts of zero.
    public init() {}

    /// Takes the outcomes out of counts that have states too.
    public init(_ counts: JobCounts) {
        (succeeded, failed) = (counts.succeeded, counts.failed)
        (cancelled, skipped) = (counts.cancelled, counts.skipped)
    }

    /// The count of an outcome.
    public subscript(outcome: Outcome) -> Int {
        get {
            switch outcome {
            case .succeeded: succeeded
            case .failed: failed
            case .cancelled: cancelled
            case .skipped: skipped
            }
        }
        set {
            switch outcome {
            case .succeeded: succeeded = newValue
            case .failed: failed = newValue
            case .cancelled: cancelled = newValue
            case .skipped: skipped = newValue
            }
        }
    }

    /// The number of all ends; like each count, saturates at the largest number.
    public var sum: Int {
        succeeded.addingSaturated(failed).addingSaturated(cancelled).addingSaturated(skipped)
    }

    /// The counts of two groups together.
    public static func + (left: EndCounts, right: EndCounts) -> EndCounts {
        var sum = EndCounts()
        sum.succeeded = left.succeeded.addingSaturated(right.succeeded)
        sum.failed = left.failed.addingSaturated(right.failed)
        sum.cancelled = left.cancelled.addingSaturated(right.cancelled)
        sum.skipped = left.skipped.addingSaturated(right.skipped)
        return sum
    }

    /// The counts of a group without those of a part of it.
    public static func - (whole: EndCounts, part: EndCounts) -> EndCounts {
        var rest = EndCounts()
        (rest.succeeded, rest.failed) = (whole.succeeded - part.succeeded, whole.failed - part.failed)
        (rest.cancelled, rest.skipped) = (whole.cancelled - part.cancelled, whole.skipped - part.skipped)
        return rest
    }
}
