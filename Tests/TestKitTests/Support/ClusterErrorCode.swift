import Baton

/// The codes of errors, as errors.
enum ClusterErrorCode: String, Error {
    case invalid, notFound, closed
}

extension TestRun {
    /// Replaces a `ClusterError` by its code.
    static func coded(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as ClusterError {
            throw ClusterErrorCode(rawValue: error.code.rawValue) ?? error
        }
    }
}
