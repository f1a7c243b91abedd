#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file with the key of a certificate for HTTPS.
///
/// It often belongs to root, and to a group that may read it. Below `/run/secrets`, where container runtimes mount secrets, all users
/// may read it.
@_spi(Baton) public enum CertificateKeyFile {
    /// Reads the file.
    ///
    /// - Throws: `KeyError` if the file cannot be read, if all users may read it, or if others than its owner may change it.
    public static func content(of path: String) throws(KeyError) -> [UInt8] {
        guard !path.utf8.contains(0) else { throw .notAccessible(path, "open the key file", code: EINVAL) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .notAccessible(path, "open the key file") }
        defer { close(descriptor) }
        return try KeyFile.content(of: descriptor, path: path, rule: KeyFile.isMounted(path) ? .mounted : .shared)
    }
}
