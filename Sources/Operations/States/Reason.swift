/// Why an operation did not succeed.
@_spi(Baton) public struct Reason: Hashable, Sendable {
    /// The kind of reason; scripts find the raw value in JSON.
    public enum Code: String, Sendable, CaseIterable {
        /// A command exited with a status other than 0.
        case exit
        /// A signal ended a command.
        case signal
        /// The operation ran longer than its timeout.
        case timeout
        /// The operation could not be started: no such program, no such directory.
        case launch
        /// The result cannot be used: it is too large, or no file.
        case result
        /// The files that the operation had to leave cannot be kept: one is missing, or is none that may be kept, or there is no room.
        case files
        /// Files that the operation needs are lost: they cannot be made again, or the operation waits until they are.
        case input
        /// The Swift function threw an error, described by the message.
        case error
        /// The operation used more memory than it asked for.
        case memory
        /// The workers of the operation were lost too often.
        case lost
        /// The failure or cancellation of a dependency made the run impossible.
        case dependency
        /// The condition for the run did not come about, without any failure (DE24).
        case notNeeded
        /// A user cancelled the operation.
        case cancelled
        /// The deadline of the operation, or that of its job, passed before its end.
        case deadline
        /// The operation did not run, because it succeeded with the result of an earlier one.
        case reused
        /// The operation did not run, because its files came from the submitter.
        case sent
    }

    /// The kind of reason.
    public var code: Code
    /// The event in a sentence.
    public var message: String

    /// States a reason.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
