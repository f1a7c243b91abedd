@_spi(Baton) public import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

/// The reason why a coordinator could not start or continue.
@_spi(Baton) public struct CoordinatorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// Another process listens at the address.
        public static let addressInUse = Code(rawValue: "addressInUse")
        /// The host has no such address, or does not have it yet.
        public static let addressMissing = Code(rawValue: "addressMissing")
        /// The address cannot be listened at.
        public static let badAddress = Code(rawValue: "badAddress")
        /// Options that do not go together.
        public static let badOptions = Code(rawValue: "badOptions")
        /// The clock of the host has a time that keys, the record and documents cannot hold.
        public static let clock = Code(rawValue: "clock")
        /// The keys of the home cannot be used.
        public static let keys = Code(rawValue: "keys")
        /// Another coordinator uses the record.
        public static let storeInUse = Code(rawValue: "storeInUse")
        /// Another coordinator uses the state directory.
        public static let stateInUse = Code(rawValue: "stateInUse")
        /// Another program has locked the record.
        public static let storeLocked = Code(rawValue: "storeLocked")
        /// The database server of the record cannot be reached.
        public static let storeUnreachable = Code(rawValue: "storeUnreachable")
        /// The library that a record on a server needs is not installed.
        public static let storeLibrary = Code(rawValue: "storeLibrary")
        /// Another coordinator leads with the record now.
        public static let deposed = Code(rawValue: "deposed")
        /// The record cannot be opened or written.
        public static let storeNotAccessible = Code(rawValue: "storeNotAccessible")
        /// The record is damaged, belongs to another program, or has a version unknown to this build.
        public static let storeUnreadable = Code(rawValue: "storeUnreadable")
        /// The last changes of the record are beside another name of its file.
        public static let storeElsewhere = Code(rawValue: "storeElsewhere")
        /// A part of the record is missing that was acknowledged.
        public static let storeIncomplete = Code(rawValue: "storeIncomplete")
        /// Any other error.
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
    /// The event and its subject, in a sentence or two.
    public var message: String
    /// The reason in the keys, if the code is `keys`.
    public var keyError: KeyError?
    /// Whether a later start may succeed, although nobody has changed the record's path or permissions: the disk was full,
    /// read-only or failing, or the system had no descriptor, memory or thread left.
    public var mayPass: Bool

    /// Describes an error.
    public init(_ code: Code, _ message: String, mayPass: Bool = false) {
        self.code = code
        self.message = message
        self.mayPass = mayPass
    }

    /// Describes keys that cannot be used.
    init(_ error: KeyError) {
        self.init(.keys, error.message, mayPass: error.mayPass)
        keyError = error
    }

    /// Describes a record that cannot be used.
    init(_ error: StoreError) {
        self.init(.of(error), error.message, mayPass: error.mayPass)
    }

    /// What keeps a coordinator from starting at a time of day; nil for nothing.
    ///
    /// The clock of a host may be set only after the start of its services.
    static func objection(toTimeOfDay time: Timestamp) -> CoordinatorError? {
        guard !Timestamp.ofHostClocks.contains(time) else { return nil }
        return CoordinatorError(
            .clock,
            "The clock of this host says \(time.text), and a coordinator can keep times from 1970 to 9999 alone: set the "
                + "clock, and start the coordinator again.",
            mayPass: true
        )
    }

    /// The sentence.
    public var description: String { message }
}

extension CoordinatorError.Code {
    /// The code that a record's error has for a starting coordinator.
    fileprivate static func of(_ error: StoreError) -> CoordinatorError.Code {
        switch error.code {
        case .inUse: .storeInUse
        case .stateInUse: .stateInUse
        case .locked: .storeLocked
        case .unreachable: .storeUnreachable
        case .library: .storeLibrary
        case .deposed: .deposed
        case .unreadable: .storeUnreadable
        case .elsewhere: .storeElsewhere
        case .incomplete: .storeIncomplete
        // Whatever else is the matter, the record cannot be used.
        default: .storeNotAccessible
        }
    }
}
