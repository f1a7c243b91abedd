@_spi(Baton) public import BatonOperations

/// The reason for a failed command, written to stderr.
@_spi(Baton) public struct ErrorDocument: Document {
    /// The error itself.
    public struct Failure: Document {
        /// The kind of the error, as a word.
        public var code: String
        /// The problem and the object concerned.
        public var message: String
        /// The path of a cycle, with the first name again at the end; otherwise empty.
        public var path: [String]
        /// What to do, on the command line; left out if there is no advice.
        @IfPresent public var advice: String?

        /// Describes an error.
        public init(code: String, message: String, path: [String] = [], advice: String? = nil) {
            self.code = code
            self.message = message
            self.path = path
            self.advice = advice
        }
    }

    /// The error itself.
    public var error: Failure

    /// Describes an error other than a refusal: a usage error, or a failure to reach the coordinator.
    public init(code: String, message: String) {
        error = Failure(code: code, message: message)
    }

    /// Describes a refusal.
    public init(_ refusal: Refusal) {
        error = Failure(code: refusal.code.rawValue, message: refusal.message, path: refusal.path)
    }
}
