/// Why a coordinator could not start or go on, in a sentence.
public struct CoordinatorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of trouble it is.
    public enum Kind: Hashable, Sendable {
        /// Another process listens at the address.
        case addressInUse
        /// The address cannot be listened at.
        case badAddress
        /// The address can be reached from other hosts, and nobody said that this is wanted.
        case insecureAddress
        /// Another coordinator uses the record.
        case storeInUse
        /// The record cannot be opened or written.
        case storeNotAccessible
        /// The record is damaged, something else's, or of a version that this build does not know.
        case storeUnreadable
        /// Anything else.
        case other
    }

    /// What kind of trouble it is.
    public var kind: Kind
    /// What happened, to what, and what to do.
    public var description: String

    /// Describes the trouble.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
