@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
public import Foundation

/// Why an operation has not succeeded; the operation will never have a result.
///
/// ```swift
/// do {
///     print(try await resized.value)
/// } catch let error as OperationError where error.code == .timeout {
///     print("too slow, in attempt \(error.attempt)")
/// }
/// ```
public struct OperationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of reason, with the name that a script finds in JSON.
    ///
    /// A later version may have further codes.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// A command exited with a status other than 0.
        public static let exit = Code(rawValue: "exit")
        /// A signal ended a command.
        public static let signal = Code(rawValue: "signal")
        /// The operation ran longer than its timeout.
        public static let timeout = Code(rawValue: "timeout")
        /// The operation could not be started: no such program, no such directory.
        public static let launch = Code(rawValue: "launch")
        /// The result cannot be used: it is too large, or no file.
        public static let result = Code(rawValue: "result")
        /// A file that the operation had to leave is missing, or is none that may be kept.
        public static let files = Code(rawValue: "files")
        /// Files that the operation needs are lost, and cannot be made again.
        public static let input = Code(rawValue: "input")
        /// ``ClusterOperation/run(in:)`` threw an error, which the message describes.
        public static let error = Code(rawValue: "error")
        /// The operation used more memory than it asked for.
        public static let memory = Code(rawValue: "memory")
        /// The output could not be kept.
        public static let output = Code(rawValue: "output")
        /// The workers of the operation were lost too often, or its options forbid another run.
        public static let lost = Code(rawValue: "lost")
        /// The failure or cancellation of a dependency made the run impossible.
        public static let dependency = Code(rawValue: "dependency")
        /// The condition for the run did not come about, without any failure.
        public static let notNeeded = Code(rawValue: "notNeeded")
        /// The operation was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The deadline of the operation, or that of its job, passed before its end.
        public static let deadline = Code(rawValue: "deadline")
        /// The coordinator refused the addition of the operation.
        public static let refused = Code(rawValue: "refused")

        /// The name of the code.
        public let rawValue: String

        /// Names a code.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The kind of reason.
    public let code: Code
    /// How the operation ended; never `succeeded`.
    public let outcome: OperationOutcome
    /// The event in a sentence, without the operation.
    public let message: String
    /// The name of the operation; nil for none.
    public let name: String?
    /// The address of the operation; nil if the coordinator has not accepted it.
    public let address: OperationAddress?
    /// The number of the last attempt; 0 if the operation never ran.
    public let attempt: Int

    /// The operation with its address and name, and the sentence.
    ///
    /// For example, `Operation 12/3 (parse): it exited with status 3.`
    public var description: String {
        let place = [address?.description, name.map { "(\($0.asShown))" }].compactMap(\.self).joined(separator: " ")
        guard !place.isEmpty else { return message }
        let isOwnStart = ["It ", "Its ", "The "].contains { message.hasPrefix($0) }
        return "Operation \(place): \(isOwnStart ? message.prefix(1).lowercased() + message.dropFirst() : message)"
    }
}

extension OperationError: LocalizedError {
    /// The ``description``, so that `localizedDescription` is the same.
    public var errorDescription: String? { description }
}
