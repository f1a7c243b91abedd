import Glibc

/// A failed system call, described in a sentence.
@_spi(Baton) public struct SystemFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The errno of the failure.
    public var code: Int32

    /// The failed action, and the system's reason.
    public var description: String

    /// Describes a failed action, with the current reason in errno.
    init(_ what: String, code: Int32 = errno) {
        self.code = code
        description = "\(what): \(systemReason(code))"
    }

    /// Describes a failure of ``OwnFile``, with the current reason in errno.
    init(ofOwnFile path: String, code: Int32 = errno) {
        self.code = code
        description = "cannot open \"\(path)\": \(OwnFile.reason(code))"
    }
}

/// The system's description of an errno, such as "No such file or directory".
func systemReason(_ code: Int32) -> String {
    guard let text = strerror(code) else { return "error \(code)" }
    return String(cString: text)
}
