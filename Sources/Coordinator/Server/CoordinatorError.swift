@_spi(Baton) public import BatonKeys

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
        /// The keys of the home cannot be used.
        public static let keys = Code(rawValue: "keys")
        /// Another coordinator uses the record.
        public static let storeInUse = Code(rawValue: "storeInUse")
        /// Another program has locked the record.
        public static let storeLocked = Code(rawValue: "storeLocked")
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

    /// Describes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Describes keys that cannot be used.
    init(_ error: KeyError) {
        self.init(.keys, error.message)
        keyError = error
    }

    /// The sentence.
    public var description: String { message }
}
