#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The file in a state directory that says where the web interface of its coordinator is: `http-address`.
struct WebAddressFile {
    private let path: String
    /// The most bytes of the file, which holds one address.
    private static let mostBytes = 4_096

    init(home: String) {
        path = home + "/http-address"
    }

    /// The address; nil if no coordinator has noted one.
    func url() throws -> String? {
        guard access(path, F_OK) == 0 else { return nil }
        let text = String(decoding: try InputFile.ordinaryBytes(of: path, atMost: Self.mostBytes), as: UTF8.self)
        return text.hasSuffix("\n") ? String(text.dropLast()) : nil
    }

    /// Notes an address.
    ///
    /// - Throws: ``CommandFailure`` if the file cannot be written.
    func note(_ url: String) throws {
        let draft = "\(path).\(getpid())"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(errno) }
        defer {
            close(descriptor)
            unlink(draft)
        }
        try Output.write(Array((url + "\n").utf8), to: descriptor)
        guard rename(draft, path) == 0 else { throw failure(errno) }
    }

    /// Removes the note of an address, unless another coordinator has noted its own since.
    func forget(_ url: String) {
        if (try? self.url()) == url { unlink(path) }
    }

    private func failure(_ code: Int32) -> CommandFailure {
        CommandFailure(
            ExitStatus.ofUnwritable(code),
            code: "home",
            "\(path) cannot be written: \(String(cString: strerror(code))).",
            advice: "Use a home of your own, with --home or BATON_HOME."
        )
    }
}
