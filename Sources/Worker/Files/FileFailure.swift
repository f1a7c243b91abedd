#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file that could not be used, in a sentence.
struct FileFailure: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// What could not be done, with the reason that errno has now.
    init(_ what: String, _ path: String, code: Int32 = errno) {
        description = "\(what) \"\(path)\": \(strerror(code).map { String(cString: $0) } ?? "error \(code)")."
    }
}
