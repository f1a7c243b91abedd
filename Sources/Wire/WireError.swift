/// The reason why this build cannot act on bytes from a peer.
@_spi(Baton) public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of reason.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The bytes break the format.
        public static let malformed = Code(rawValue: "malformed")
        /// The bytes are the hello of a peer without a common version; ``Greeting/refusal(by:build:)`` answers it.
        public static let incompatible = Code(rawValue: "incompatible")

        /// The name of the code.
        public let rawValue: String

        /// Names a code.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The kind of reason.
    public var code: Code
    /// The reason in a sentence: the message, the field and the fault; or the versions of both sides.
    public var message: String
    /// The beginning of the peer's hello, if there is no common version.
    public var greeting: Greeting?

    private init(_ code: Code, _ message: String, greeting: Greeting? = nil) {
        self.code = code
        self.message = message
        self.greeting = greeting
    }

    /// Describes bytes that break the format; the sentence names the message, the field and the fault.
    public static func malformed(_ sentence: String) -> WireError {
        WireError(.malformed, sentence)
    }

    /// Describes the hello of a peer without a common version.
    public static func incompatible(_ greeting: Greeting) -> WireError {
        WireError(
            .incompatible,
            "The \(greeting.role) (build \(greeting.build)) speaks protocol \(greeting.protocols), "
                + "and this process \(ProtocolRange.own).",
            greeting: greeting
        )
    }

    /// The sentence.
    public var description: String { message }
}
