#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The reason why a file of an operation cannot be written where its user wants it.
@_spi(Baton) public struct FetchError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of reason.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The place cannot be written.
        public static let notWritable = Code(rawValue: "notWritable")
        /// The path would lead out of the directory.
        public static let unsafe = Code(rawValue: "unsafe")
        /// The bytes that came are not those of the file, also at a second try.
        public static let damaged = Code(rawValue: "damaged")

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

    /// The error of a place that cannot be written.
    init(writing path: String, _ code: Int32) {
        let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        self.init(.notWritable, "\"\(path)\" cannot be written: \(reason).", systemCode: code)
    }

    /// The sentence.
    public var description: String { message }
}
