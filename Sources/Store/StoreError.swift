/// The reason why the record could not be read or written.
@_spi(Baton) public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// Another coordinator uses the same record.
        public static let inUse = Code(rawValue: "inUse")
        /// Another coordinator uses the same state directory.
        public static let stateInUse = Code(rawValue: "stateInUse")
        /// Another program has locked the record.
        public static let locked = Code(rawValue: "locked")
        /// The file or its directory cannot be opened or written.
        public static let notAccessible = Code(rawValue: "notAccessible")
        /// The file system of the record has no locks.
        public static let notLockable = Code(rawValue: "notLockable")
        /// The file, its write-ahead log or the log's index was removed, moved, replaced or cut since it was opened.
        public static let notInPlace = Code(rawValue: "notInPlace")
        /// The disk is full.
        public static let full = Code(rawValue: "full")
        /// The file is not a record, is damaged, or has a version unknown to this build.
        public static let unreadable = Code(rawValue: "unreadable")
        /// A part of the record is missing that was acknowledged.
        public static let incomplete = Code(rawValue: "incomplete")
        /// The last changes are in a file beside another name of the record.
        public static let elsewhere = Code(rawValue: "elsewhere")
        /// There is no such file.
        public static let missing = Code(rawValue: "missing")
        /// A file is in the place of the one to be written.
        public static let exists = Code(rawValue: "exists")
        /// The file to be written cannot be written.
        public static let notWritable = Code(rawValue: "notWritable")
        /// Somebody has ended the work before its end.
        public static let ended = Code(rawValue: "ended")
        /// The record is closed.
        public static let closed = Code(rawValue: "closed")
        /// Another coordinator leads on the record now.
        public static let deposed = Code(rawValue: "deposed")
        /// The server of the record cannot be reached, or has not answered.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The system has no thread for the record.
        public static let system = Code(rawValue: "system")
        /// Any other error of SQLite.
        public static let other = Code(rawValue: "other")

        /// The name of the code.
        public let rawValue: String

        /// Names a code.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The kind of error.
    public var code: Code
    /// The event and the file, in a sentence or two.
    public var message: String
    /// Whether a later try may succeed, although nobody has changed the path or its permissions: the disk was full,
    /// read-only or failing, or the system had no descriptor, memory or thread left.
    public var mayPass: Bool

    /// Describes an error.
    public init(_ code: Code, _ message: String, mayPass: Bool = false) {
        self.code = code
        self.message = message
        self.mayPass = mayPass
    }

    /// The sentence.
    public var description: String { message }
}
