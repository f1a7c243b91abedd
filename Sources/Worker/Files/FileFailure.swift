#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file that could not be used, in a sentence.
struct FileFailure: Error, Hashable, CustomStringConvertible {
    let description: String
    /// The number of the reason, as in errno; 0 where the system was not asked.
    let code: Int32

    init(_ description: String) {
        self.description = description
        code = 0
    }

    /// What could not be done, with the reason that errno has now.
    init(_ what: String, _ path: String, code: Int32 = errno) {
        description = "\(what) \"\(path)\": \(strerror(code).map { String(cString: $0) } ?? "error \(code)")."
        self.code = code
    }

    /// Whether the worker is to blame, as far as its own directories are concerned: whatever the system says of those, but that
    /// a name is too long.
    var isWorkerFault: Bool { code != 0 && code != ENAMETOOLONG }

    /// Whether the worker is to blame, as far as a file of an operation is concerned: its host has run out of something, or a disk
    /// is failing.
    var isHostFault: Bool { [EMFILE, ENFILE, ENOMEM, EIO, ESTALE].contains(code) }
}
