import Glibc

/// A call of the system that failed, as a sentence.
public struct SystemFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The number of the reason, as in errno.
    public var code: Int32

    /// What could not be done, and the system's reason.
    public var description: String

    /// What could not be done, with the reason that errno has now.
    init(_ what: String, code: Int32 = errno) {
        self.code = code
        description = "\(what): \(systemReason(code))"
    }
}

/// What the system says about a number of errno: "No such file or directory".
func systemReason(_ code: Int32) -> String {
    guard let text = strerror(code) else { return "error \(code)" }
    return String(cString: text)
}
