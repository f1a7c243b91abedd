/// Why bytes from a peer are not a message that this build can act on.
public enum WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// They break the format; the sentence says which field of which message, and how.
    case malformed(String)
    /// They are a hello of a peer that speaks no common version; ``Greeting/refusal(by:build:)`` answers it.
    case incompatible(Greeting)

    /// What is wrong, in a sentence.
    public var description: String {
        switch self {
        case .malformed(let sentence): sentence
        case .incompatible(let greeting):
            "The \(greeting.role) (build \(greeting.build)) speaks protocol \(greeting.protocols), "
                + "and this process \(ProtocolRange.own)."
        }
    }
}
