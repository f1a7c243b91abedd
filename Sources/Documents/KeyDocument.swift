/// A key that was made, taken over or revoked: `authorize`, `join` and `revoke`.
@_spi(Baton) public struct KeyDocument: Document {
    /// The key's name at its coordinator.
    public var name: String
    /// What the key's holder may do: `client`, `worker`, `viewer` or `operation`.
    public var role: String
    /// The address in the key, by which its holder finds the coordinator; null for a key without one, and after `revoke`.
    public var coordinator: String?
    /// The line to join with, which is a secret; null except after `authorize`.
    public var token: String?

    /// Describes a key.
    public init(name: String, role: String, coordinator: String? = nil, token: String? = nil) {
        self.name = name
        self.role = role
        self.coordinator = coordinator
        self.token = token
    }
}
