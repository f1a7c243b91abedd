/// The reason why the record could not be read or written, in a sentence.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public enum Kind: Hashable, Sendable {
        /// Another coordinator uses the same record.
        case inUse
        /// The file or its directory cannot be opened or written.
        case notAccessible
        /// The disk is full.
        case full
        /// The file is not a record, is damaged, or has a version unknown to this build.
        case unreadable
        /// Any other error of SQLite.
        case other
    }

    /// The kind of error.
    public var kind: Kind
    /// The event, the file and the remedy.
    public var description: String

    /// Describes an error.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
