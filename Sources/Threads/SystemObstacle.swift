#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the system's error numbers say about an obstacle.
@_spi(Baton) public enum SystemObstacle {
    /// A disk that is full, read-only or failing, and a process or host without a descriptor or memory left.
    private static let passing: Set<Int32> = [ENOSPC, EDQUOT, EROFS, EIO, EMFILE, ENFILE, ENOMEM]

    /// Whether the same call may succeed later, although nobody has changed its path or the permissions there.
    public static func mayPass(_ code: Int32) -> Bool { passing.contains(code) }
}
