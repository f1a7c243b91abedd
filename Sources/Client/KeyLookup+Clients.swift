@_spi(Baton) public import BatonKeys
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) extension KeyLookup {
    /// The longest wait for a server's greeting.
    private static let greetingPatience = Duration.seconds(1)

    /// Finds a coordinator and a client's key for it.
    ///
    /// Without a key, the call asks whether a server is at the address at all, which may block for a second: the user of a host
    /// where no coordinator has ever run misses the coordinator, not the key. Where the home has a worker's key alone, the address
    /// is the one in that key unless another is given.
    ///
    /// - Parameters:
    ///   - endpoint: the coordinator's address, if given.
    ///   - isInsecure: whether to speak without a key, to a coordinator without keys.
    /// - Throws: `ClientError` with ``ClientError/Code/key``, or with the codes of a malformed address or an absent coordinator.
    public func clientAccess(at endpoint: String?, isInsecure: Bool = false) throws(ClientError) -> CoordinatorAccess {
        let roles: [Role] = [.client, .viewer]
        let given = givenEndpoint(endpoint)
        if let given, Endpoint(given, for: .connecting) == nil { throw .invalidEndpoint(given) }
        do throws(KeyError) {
            return try access(for: roles, at: endpoint, isInsecure: isInsecure)
        } catch {
            let other = given == nil ? otherKey(than: roles) : nil
            let address = given ?? other?.address?.text ?? CoordinatorAccess.defaultEndpoint
            // With a key that will not do, the coordinator is known to be somewhere.
            guard error.code == .noKey, other == nil || other?.address != nil else {
                throw .key(error, endpoint: address)
            }
            switch ServerGreeting.mechanism(at: address, within: Self.greetingPatience) {
            case nil: throw .absent(address)
            case "CURVE": throw .key(error, endpoint: address)
            default: throw .notAdmitted(.mismatch, endpoint: address)
            }
        }
    }
}
