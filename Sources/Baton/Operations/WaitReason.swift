@_spi(Baton) import BatonDocuments

/// A reason that keeps an operation from running, as `baton explain` tells it.
///
/// ```swift
/// for reason in try await operation.explain() { print(reason.kind, reason) }
/// ```
public struct WaitReason: Hashable, Sendable, CustomStringConvertible {
    /// The kind of a reason, with the name that a script finds in JSON.
    ///
    /// A later version may have further kinds.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// Another operation or job has to end first.
        public static let dependency = Kind(rawValue: "dependency")
        /// An operation that this one depends on has not been added to a queue.
        public static let addition = Kind(rawValue: "addition")
        /// The operation is held.
        public static let hold = Kind(rawValue: "hold")
        /// Files that the operation needs are lost and are made again, or are being fetched.
        public static let files = Kind(rawValue: "files")
        /// The start time is in the future.
        public static let delay = Kind(rawValue: "delay")
        /// The operation's queue is suspended.
        public static let suspended = Kind(rawValue: "suspended")
        /// The operation's queue has reached its limit.
        public static let limit = Kind(rawValue: "limit")
        /// A barrier of the queue comes first; or the operation is a barrier, and earlier operations come first.
        public static let barrier = Kind(rawValue: "barrier")
        /// All slots are taken.
        public static let slots = Kind(rawValue: "slots")
        /// No worker has enough of what the operation asks for.
        public static let resources = Kind(rawValue: "resources")
        /// No worker meets the conditions for labels.
        public static let labels = Kind(rawValue: "labels")
        /// All suitable workers are unable to start operations.
        public static let failing = Kind(rawValue: "failing")
        /// No suitable worker is connected.
        public static let noWorker = Kind(rawValue: "noWorker")
        /// Other operations of the queue come first.
        public static let order = Kind(rawValue: "order")

        /// The name of the kind.
        public let rawValue: String

        /// Names a kind.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The kind of the reason.
    public let kind: Kind
    /// The operation that has to end or to be added first; nil for another kind of reason, and for a whole job.
    public let operation: OperationAddress?
    /// The reason, in a sentence.
    public let description: String
}

extension WaitReason {
    /// Converts a reason of the coordinator's.
    init(_ reason: BatonDocuments.WaitReason) {
        kind = Kind(rawValue: reason.kind.rawValue)
        operation = reason.operation.flatMap { OperationAddress($0) }
        description = reason.message
    }
}
