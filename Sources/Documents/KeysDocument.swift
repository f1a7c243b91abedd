@_spi(Baton) public import BatonOperations

/// The keys that a coordinator admits: `keys`.
@_spi(Baton) public struct KeysDocument: Document {
    /// A key of the table.
    public struct Key: Document {
        /// The key's name.
        public var name: String
        /// What the key's holder may do: `client`, `worker`, `viewer` or `operation`.
        public var role: String
        /// The public half of the key, in the notation of ZeroMQ (Z85); null for a token for HTTP.
        public var publicKey: String?
        /// The time of the authorization.
        public var authorizedAt: Timestamp
        /// The time of the revocation; null for a key that is admitted.
        public var revokedAt: Timestamp?

        /// Describes a key.
        public init(name: String, role: String, publicKey: String?, authorizedAt: Timestamp, revokedAt: Timestamp?) {
            self.name = name
            self.role = role
            self.publicKey = publicKey
            self.authorizedAt = authorizedAt
            self.revokedAt = revokedAt
        }
    }

    /// The keys in the order of their authorization.
    public var keys: [Key]

    /// Lists keys.
    public init(keys: [Key]) {
        self.keys = keys
    }
}
