@_spi(Baton) import BatonOperations

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The reason why files of this host cannot be sent with a job.
@_spi(Baton) public struct SendError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of reason.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// A file or a directory cannot be read.
        public static let unreadable = Code(rawValue: "unreadable")
        /// There is something that is no file, or more than can be sent.
        public static let unsendable = Code(rawValue: "unsendable")
        /// A file has changed while it was sent.
        public static let changed = Code(rawValue: "changed")

        /// The name of the code.
        public let rawValue: String

        /// Names a code.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The kind of reason.
    public let code: Code
    /// The event and its subject, in a sentence or two.
    public let message: String
    /// The system's number of the error; 0 if the system was not asked.
    public let systemCode: Int32

    init(_ code: Code, _ message: String, systemCode: Int32 = 0) {
        self.code = code
        self.message = message
        self.systemCode = systemCode
    }

    /// The error of a place that cannot be read.
    init(reading path: String, _ code: Int32) {
        let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        self.init(.unreadable, "\"\(path.asShown)\" cannot be sent: \(reason).", systemCode: code)
    }

    /// The error of a file that has other bytes than a moment ago.
    static func changed(_ path: String) -> SendError {
        SendError(
            .changed,
            "The file \"\(path.asShown)\" changed while it was sent, and nothing was submitted. Submit once no program writes to it."
        )
    }

    /// The sentence.
    public var description: String { message }
}
