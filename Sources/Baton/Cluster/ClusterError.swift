@_spi(Baton) import BatonClient
public import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWorker

/// The reason for a failed request to the cluster.
///
/// ```swift
/// do {
///     try await queue.addOperation(operation)
/// } catch let error as ClusterError where error.code == .overloaded {
///     print("Later: \(error.message)")
/// }
/// ```
public struct ClusterError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of reason, with the name that a script finds in JSON.
    ///
    /// A refusal has the code of the coordinator, of which a later version may have further ones.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The dependencies form a cycle, whose path the error has.
        public static let cycle = Code(rawValue: "cycle")
        /// The target of a dependency does not exist.
        public static let unknownDependency = Code(rawValue: "unknownDependency")
        /// Two operations of one submission have the same name.
        public static let duplicateName = Code(rawValue: "duplicateName")
        /// The request makes no sense: a bad address, a bad name, a negative limit.
        public static let invalid = Code(rawValue: "invalid")
        /// No such job, operation or queue.
        public static let notFound = Code(rawValue: "notFound")
        /// The output or result is not available, or not available any more.
        public static let unavailable = Code(rawValue: "unavailable")
        /// The coordinator cannot store what was asked.
        public static let storage = Code(rawValue: "storage")
        /// The requested data is in the coordinator's record, but damaged.
        public static let damaged = Code(rawValue: "damaged")
        /// The coordinator does not speak this version of the protocol.
        public static let incompatible = Code(rawValue: "incompatible")
        /// The coordinator or a worker did not answer in time.
        public static let unanswered = Code(rawValue: "unanswered")
        /// A wait that could never end, whose path the error has.
        public static let deadlock = Code(rawValue: "deadlock")
        /// The role of the key does not permit the request.
        public static let notAllowed = Code(rawValue: "notAllowed")
        /// Another submission had the same key.
        public static let keyConflict = Code(rawValue: "keyConflict")
        /// The job was retried already, and the call does not permit another retry.
        public static let retried = Code(rawValue: "retried")
        /// No worker present can ever take an operation of a submission that asked for this refusal.
        public static let unplaceable = Code(rawValue: "unplaceable")
        /// No coordinator answers at the address; or those that answer stand by, and none leads.
        public static let unreachable = Code(rawValue: "unreachable")
        /// There is no key for the coordinator, or no usable one.
        public static let key = Code(rawValue: "key")
        /// The coordinator does not admit the key: it is unknown there or was revoked.
        public static let keyRefused = Code(rawValue: "keyRefused")
        /// The coordinator has another key, or one of the two sides runs without keys.
        public static let keyMismatch = Code(rawValue: "keyMismatch")
        /// The coordinator went away and did not come back within the time.
        public static let lost = Code(rawValue: "lost")
        /// The coordinator may or may not have accepted a request that must not be sent twice.
        public static let uncertain = Code(rawValue: "uncertain")
        /// The cluster was closed.
        public static let closed = Code(rawValue: "closed")
        /// Too many operations wait for the coordinator's answer.
        public static let overloaded = Code(rawValue: "overloaded")
        /// The operation was added before, to this or another queue.
        public static let alreadyAdded = Code(rawValue: "alreadyAdded")
        /// The operation has not been added to a queue.
        public static let notAdded = Code(rawValue: "notAdded")
        /// A value cannot be encoded or decoded.
        public static let coding = Code(rawValue: "coding")
        /// The request is longer than the longest message.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The system has no thread, descriptor or socket left.
        public static let system = Code(rawValue: "system")
        /// A file of this host cannot be written.
        public static let file = Code(rawValue: "file")
        /// A fault of Baton's own.
        public static let fault = Code(rawValue: "fault")

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
    /// The path of a cycle or of an endless wait, with the first name again at the end; else empty.
    public let path: [String]

    /// Describes a failure.
    @_spi(Baton) public init(_ code: Code, _ message: String, path: [String] = []) {
        self.code = code
        self.message = message
        self.path = path
    }

    /// The sentence.
    public var description: String { message }
}

extension ClusterError: LocalizedError {
    /// The sentence, so that `localizedDescription` is the sentence too.
    public var errorDescription: String? { message }
}

extension ClusterError {
    /// Converts an error of the connection.
    init(_ error: ClientError) {
        let code: Code =
            switch error.code {
            case .refused: error.refusal.map { Code(rawValue: $0.code.rawValue) } ?? .fault
            case .invalidEndpoint: .invalid
            case .unknownHost, .unreachable, .notCoordinator, .silent, .standby: .unreachable
            case .key: .key
            case .keyRefused: .keyRefused
            case .keyMismatch: .keyMismatch
            case .lost: .lost
            case .timedOut: .unanswered
            case .submissionUnanswered: .uncertain
            case .tooLarge: .tooLarge
            case .system: .system
            case .closed: .closed
            // A malformed reply.
            default: .fault
            }
        self.init(code, error.message.followed(by: Self.advice(on: error)), path: error.refusal?.path ?? [])
    }

    /// Converts an error of a worker; a worker's own codes keep their names.
    init(_ error: WorkerError) {
        self.init(Code(rawValue: error.code.rawValue), error.message.followed(by: Self.advice(on: error)))
    }

    /// Converts a refusal of the coordinator.
    init(_ refusal: Refusal) {
        self.init(Code(rawValue: refusal.code.rawValue), refusal.message, path: refusal.path)
    }

    /// The cluster was closed.
    static let closed = ClusterError(.closed, "The cluster was closed, and takes no more requests. Make another one.")

    /// The coordinator's reply belongs to another request.
    static let wrongReply = ClusterError(
        .fault,
        "The coordinator answered with something else than what was asked for. See whether its version is that of this program."
    )

    /// The coordinator's document has another form than this version reads.
    static let unreadable = ClusterError(
        .fault,
        "A document of the coordinator has not the form that this version reads."
    )

    /// Whether the error is about what a submission contains, so that its parts may be taken alone.
    var concernsContent: Bool {
        [.cycle, .unknownDependency, .duplicateName, .invalid, .notFound, .tooLarge, .notAllowed].contains(code)
    }
}
