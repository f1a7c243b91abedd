public import BatonOperations

/// Why a command was not carried out; it goes to stderr.
public struct ErrorDocument: Document {
    /// The error itself.
    public struct Failure: Document {
        /// What kind of error it is, as a word.
        public var code: String
        /// What happened, to what, and what to do.
        public var message: String
        /// The path of a cycle, its first name again at the end; else empty.
        public var path: [String]

        /// Describes an error.
        public init(code: String, message: String, path: [String] = []) {
            self.code = code
            self.message = message
            self.path = path
        }

        /// Writes the error.
        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("code", code)
            writer.member("message", message)
            writer.member("path", strings: path)
            writer.endObject()
        }
    }

    /// The error itself.
    public var error: Failure

    /// Describes an error that is no refusal: of usage, or of the way to the coordinator.
    public init(code: String, message: String) {
        error = Failure(code: code, message: message)
    }

    /// Describes a refusal.
    public init(_ refusal: Refusal) {
        error = Failure(code: refusal.code.rawValue, message: refusal.message, path: refusal.path)
    }

    /// Writes it.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("error", error)
        writer.endObject()
    }
}
