/// How a finished operation ended.
@_spi(Baton) public enum Outcome: UInt8, Sendable, CaseIterable, CustomStringConvertible {
    /// The operation ran to its end without an error.
    case succeeded = 0
    /// The operation ran and failed, after its retries (ST8).
    case failed = 1
    /// The operation ended at the request of a user.
    case cancelled = 2
    /// A dependency made the run impossible (DE9), or the operation was not needed (DE24).
    case skipped = 3

    /// The name of the outcome in the command line and in JSON.
    public var description: String {
        switch self {
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .skipped: "skipped"
        }
    }
}
