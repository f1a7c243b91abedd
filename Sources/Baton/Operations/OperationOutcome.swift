@_spi(Baton) import BatonOperations

/// How a finished operation ended.
///
/// ```swift
/// switch try await operation.waitUntilFinished() {
/// case .succeeded: print("done")
/// case .failed, .skipped: print(operation.error?.message ?? "")
/// case .cancelled: print("as you like")
/// }
/// ```
public enum OperationOutcome: String, Hashable, Sendable, Codable, CaseIterable {
    /// The operation ran to its end without an error.
    case succeeded
    /// The operation failed, after its retries.
    case failed
    /// The operation ended at the request of a user.
    case cancelled
    /// A dependency made the run impossible, or the operation was not needed.
    case skipped

    init(_ outcome: Outcome) {
        self =
            switch outcome {
            case .succeeded: .succeeded
            case .failed: .failed
            case .cancelled: .cancelled
            case .skipped: .skipped
            }
    }
}
