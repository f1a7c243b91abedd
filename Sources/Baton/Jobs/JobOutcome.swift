/// How a finished job ended.
///
/// ```swift
/// let isGood = try await job.waitUntilFinished() == .succeeded
/// print(isGood ? "all went well" : "look at \(job)")
/// ```
public enum JobOutcome: String, Hashable, Sendable, Codable, CaseIterable {
    /// Every operation succeeded or was not needed.
    case succeeded
    /// An operation failed, or was skipped because of a failure.
    case failed
    /// No operation failed, and one was cancelled, or skipped because of that.
    case cancelled
}
