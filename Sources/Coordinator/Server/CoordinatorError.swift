/// Why a coordinator could not start or continue, in a sentence.
public struct CoordinatorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of error.
    public enum Kind: Hashable, Sendable {
        /// Another process listens at the address.
        case addressInUse
        /// The address cannot be listened at.
        case badAddress
        /// The address is reachable from other hosts, and the options do not permit such an address.
        case insecureAddress
        /// Another coordinator uses the record.
        case storeInUse
        /// The record cannot be opened or written.
        case storeNotAccessible
        /// The record is damaged, belongs to another program, or has a version unknown to this build.
        case storeUnreadable
        /// Any other error.
        case other
    }

    /// The kind of error.
    public var kind: Kind
    /// The error, its subject, and the remedy.
    public var description: String

    /// Describes an error.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
