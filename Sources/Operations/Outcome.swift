/// How a finished operation ended.
public enum Outcome: UInt8, Sendable, CaseIterable, CustomStringConvertible {
    /// It ran to its end without an error.
    case succeeded = 0
    /// It ran and failed, after its retries (ST8).
    case failed = 1
    /// Somebody asked for its end.
    case cancelled = 2
    /// A dependency made it impossible (DE9), or it was not needed (DE24).
    case skipped = 3

    /// The word for it in the command line and in JSON.
    public var description: String {
        switch self {
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .skipped: "skipped"
        }
    }
}
