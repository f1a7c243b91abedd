/// The reason why keys cannot be read, written, found or used.
@_spi(Baton) public struct KeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of reason.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// Others can read or change a file or directory of secrets.
        public static let exposed = Code(rawValue: "exposed")
        /// All users can read the file of a certificate's key, or its group can change it.
        public static let exposedToAll = Code(rawValue: "exposedToAll")
        /// Others can change a file of a secret that the system has mounted for others to read.
        public static let changeable = Code(rawValue: "changeable")
        /// A file or directory of secrets belongs to another user.
        public static let foreign = Code(rawValue: "foreign")
        /// A file or directory cannot be opened, read or written.
        public static let notAccessible = Code(rawValue: "notAccessible")
        /// The disk has no room for a file or directory.
        public static let noRoom = Code(rawValue: "noRoom")
        /// The user has as many watches of directories as the system allows.
        public static let noWatchLeft = Code(rawValue: "noWatchLeft")
        /// A file does not have the form that this version writes.
        public static let malformed = Code(rawValue: "malformed")
        /// A text is no token.
        public static let invalidToken = Code(rawValue: "invalidToken")
        /// A token has the form of another version of Baton.
        public static let otherVersion = Code(rawValue: "otherVersion")
        /// Another process has held the directory's lock for a long time.
        public static let inUse = Code(rawValue: "inUse")
        /// Another unrevoked key has the name.
        public static let nameInUse = Code(rawValue: "nameInUse")
        /// The table has the public key already.
        public static let keyInUse = Code(rawValue: "keyInUse")
        /// The table has no unrevoked key of the name or number.
        public static let unknownKey = Code(rawValue: "unknownKey")
        /// The table has no number left.
        public static let tableFull = Code(rawValue: "tableFull")
        /// There is no key for this server and role.
        public static let noKey = Code(rawValue: "noKey")
        /// The key that was given has another role.
        public static let wrongRole = Code(rawValue: "wrongRole")
        /// The home has the keys of another coordinator.
        public static let otherCoordinator = Code(rawValue: "otherCoordinator")
        /// Several servers' keys could be meant.
        public static let ambiguous = Code(rawValue: "ambiguous")
        /// libzmq was built without CURVE.
        public static let unsupported = Code(rawValue: "unsupported")

        /// The name of the code.
        public let rawValue: String

        /// Names a code.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The kind of reason.
    public var code: Code
    /// What happened, and to what, in a sentence or two without any secret.
    public var message: String
    /// The file or directory concerned, if any.
    public var path: String?
    /// The line of the file, from 1, if one line is concerned.
    public var line: Int?
    /// The permission bits of an exposed file or directory, such as 0o644.
    public var mode: UInt32?
    /// The variable of the environment that held or named an unusable key, if any.
    public var variable: String?
    /// Whether a later try may succeed, although nobody has changed the file or its permissions: the disk was full,
    /// read-only or failing, or the system had no descriptor or memory left.
    public var mayPass: Bool

    /// Describes a reason.
    public init(
        _ code: Code,
        _ message: String,
        path: String? = nil,
        line: Int? = nil,
        mode: UInt32? = nil,
        variable: String? = nil,
        mayPass: Bool = false
    ) {
        self.code = code
        self.message = message
        self.path = path
        self.line = line
        self.mode = mode
        self.variable = variable
        self.mayPass = mayPass
    }

    /// The sentence.
    public var description: String { message }
}
