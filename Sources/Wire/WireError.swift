/// The reason why this build cannot act on bytes from a peer.
public enum WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes break the format; the sentence names the message, the field and the fault.
    case malformed(String)
    /// The bytes are the hello of a peer without a common version; ``Greeting/refusal(by:build:)`` answers it.
    case incompatible(Greeting)

    /// The reason in a sentence.
    public var description: String {
        switch self {
        case .malformed(let sentence): sentence
        case .incompatible(let greeting):
            "The \(greeting.role) (build \(greeting.build)) speaks protocol \(greeting.protocols), "
                + "and this process \(ProtocolRange.own)."
        }
    }
}
