@_spi(Baton) public import BatonKeys
@_spi(Baton) public import BatonOperations
@_spi(Baton) public import BatonWire

/// The reason why a request has no reply.
@_spi(Baton) public struct ClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of reason.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The coordinator's address is malformed.
        public static let invalidEndpoint = Code(rawValue: "invalidEndpoint")
        /// The address contains a host name that does not resolve.
        public static let unknownHost = Code(rawValue: "unknownHost")
        /// No process listens at the address.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The process that listens at the address does not answer as a coordinator does.
        public static let notCoordinator = Code(rawValue: "notCoordinator")
        /// The process that listens at the address accepts connections, and sends nothing.
        public static let silent = Code(rawValue: "silent")
        /// The client has no key for the coordinator, or no usable one.
        public static let key = Code(rawValue: "key")
        /// The coordinator does not admit the client's key: it is unknown there or was revoked.
        public static let keyRefused = Code(rawValue: "keyRefused")
        /// The coordinator has another key, or one of the two sides runs without keys.
        public static let keyMismatch = Code(rawValue: "keyMismatch")
        /// The coordinators that answer stand by, and none leads.
        public static let standby = Code(rawValue: "standby")
        /// The coordinator went away and did not come back within the time.
        public static let lost = Code(rawValue: "lost")
        /// The reply did not come within the caller's timeout.
        public static let timedOut = Code(rawValue: "timedOut")
        /// A request that must not be sent twice, such as a submission without a key, was sent, and its reply was lost or late.
        public static let submissionUnanswered = Code(rawValue: "submissionUnanswered")
        /// The request is longer than the longest message.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The coordinator refused the hello or the request.
        public static let refused = Code(rawValue: "refused")
        /// The coordinator's reply is malformed or of another kind than the request.
        public static let malformedReply = Code(rawValue: "malformedReply")
        /// The system has no thread, descriptor or socket left for the connection.
        public static let system = Code(rawValue: "system")
        /// The owner closed the connection.
        public static let closed = Code(rawValue: "closed")
        /// The task that sent the request was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")

        /// The name of the code.
        public let rawValue: String

        /// Names a code.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The kind of reason.
    public var code: Code
    /// The event and its subject, in a sentence or two.
    public var message: String
    /// The coordinator's address, if the reason concerns the address or the coordinator there.
    public var endpoint: String?
    /// The coordinator's refusal, if the code is `refused`.
    public var refusal: Refusal?
    /// The reason in the client's keys, if the code is `key`.
    public var keyError: KeyError?
    /// The refused request; nil for another code, and for a refused hello.
    public var request: Request?
    /// The place of the key that the coordinator did not admit, if known.
    public var keySource: KeyLookup.Finding.Source?
    /// Whether the coordinator may have carried the request out, although no answer came.
    public var mayBeDone = false

    init(_ code: Code, _ message: String, endpoint: String? = nil) {
        self.code = code
        self.message = message
        self.endpoint = endpoint
    }

    /// The sentence.
    public var description: String { message }
}
