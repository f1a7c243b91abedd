/// Why an operation did not succeed.
public struct Reason: Hashable, Sendable {
    /// The kind of reason; its raw value is what scripts find in JSON.
    public enum Code: String, Sendable, CaseIterable {
        /// A command exited with a status other than 0.
        case exit
        /// A signal ended a command.
        case signal
        /// It ran longer than its timeout.
        case timeout
        /// It could not be started: no such program, no such directory.
        case launch
        /// What it left as its result cannot be used: it is too large, or no file.
        case result
        /// Its Swift function threw an error, which the message describes.
        case error
        /// Its workers were lost too often.
        case lost
        /// A dependency made it impossible: one that failed or was cancelled.
        case dependency
        /// What it would have been run for did not come about, and nothing went wrong (DE24).
        case notNeeded
        /// Somebody cancelled it.
        case cancelled
    }

    /// The kind of reason.
    public var code: Code
    /// What happened, in a sentence.
    public var message: String

    /// States a reason.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
