/// Why the record could not be read or written, in a sentence.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of trouble it is.
    public enum Kind: Hashable, Sendable {
        /// Another coordinator uses the same record.
        case inUse
        /// The file or its directory cannot be opened or written.
        case notAccessible
        /// The disk is full.
        case full
        /// The file is not a record, is damaged, or is of a version that this build does not know.
        case unreadable
        /// Anything else that SQLite reports.
        case other
    }

    /// What kind of trouble it is.
    public var kind: Kind
    /// What happened, to which file, and what to do.
    public var description: String

    /// Describes the trouble.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
