#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file with a home's own token for HTTP, `http-token`, which nobody but its user may read.
///
/// Whoever can read the file acts with the rights of the home's own client key. Another content of the file is another token; a
/// removed file is no token, until the next start of the coordinator.
@_spi(Baton) public struct LocalTokenFile: Hashable, Sendable {
    /// The path of the file.
    public let path: String

    /// Names the file of a home, which need not exist.
    public init(home: String) {
        path = (home.hasSuffix("/") ? home : home + "/") + "http-token"
    }

    /// Reads the token; nil if there is no file.
    ///
    /// - Throws: `KeyError` if the file cannot be read, if others may read it, or if it holds no token.
    public func token() throws(KeyError) -> BearerToken? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .notAccessible(path, "open")
        }
        defer { close(descriptor) }
        let bytes = try KeyFile.content(of: descriptor, path: path, rule: .own)
        guard let text = String(validating: bytes, as: UTF8.self), text.hasSuffix("\n"),
            let token = BearerToken(text.dropLast())
        else { throw .malformed(path, line: 1, "it is not a token for HTTP") }
        return token
    }

    /// Reads the token, and makes it if there is no file.
    ///
    /// - Throws: `KeyError` if the file cannot be read or written, if others may read it, or if it holds no token.
    public func tokenOrNew() throws(KeyError) -> BearerToken {
        if let token = try token() { return token }
        let token = BearerToken.generate()
        let draft = "\(path).\(getpid())"
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .notAccessible(draft, "make") }
        let code = KeyFile.write(Array((token.text + "\n").utf8), to: descriptor)
        close(descriptor)
        // Of two processes that make the file at once, the first one counts for both.
        let isFirst = code == 0 && link(draft, path) == 0
        let failure = code == 0 ? errno : code
        unlink(draft)
        if isFirst { return token }
        if failure == EEXIST, let other = try self.token() { return other }
        errno = failure
        throw .notAccessible(path, "write")
    }
}
