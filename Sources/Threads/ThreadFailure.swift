#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The system has no room for another thread.
@_spi(Baton) public struct ThreadFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system's error number.
    public var code: Int32

    /// The system's reason, such as "Resource temporarily unavailable".
    public var reason: String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }

    /// The failure with its reason.
    public var description: String { "cannot start a thread: \(reason)" }
}
