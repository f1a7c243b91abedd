import Glibc

/// The reason why a process cannot be asked for its health.
@_spi(Baton) public struct HealthFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The errno of the failed call.
    public let code: Int32
    /// The failed action, and the system's reason.
    public let description: String

    /// Describes a failed call, with the current reason in errno.
    init(_ what: String, code: Int32 = errno) {
        self.code = code
        description = "\(what): \(strerror(code).map { String(cString: $0) } ?? "error \(code)")"
    }
}
