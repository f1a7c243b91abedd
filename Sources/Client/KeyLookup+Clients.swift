@_spi(Baton) public import BatonKeys
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) extension KeyLookup {
    /// The longest wait for a server's greeting.
    private static let greetingPatience = Duration.seconds(1)

    /// Finds a coordinator and a client's key for it.
    ///
    /// Without a key, the call asks whether a server is at the address at all, which may block for a second: the user of a host
    /// where no coordinator has ever run misses the coordinator, not the key.
    ///
    /// - Parameters:
    ///   - endpoint: the coordinator's address, if given.
    ///   - isInsecure: whether to speak without a key, to a coordinator without keys.
    /// - Throws: `ClientError` with ``ClientError/Code/key``, or with the codes of a malformed address or an absent coordinator.
    public func clientAccess(at endpoint: String?, isInsecure: Bool = false) throws(ClientError) -> CoordinatorAccess {
        let given = givenEndpoint(endpoint)
        if let given, Endpoint(given, for: .connecting) == nil { throw .invalidEndpoint(given) }
        do throws(KeyError) {
            return try access(for: [.client, .viewer], at: endpoint, isInsecure: isInsecure)
        } catch {
            let address = given ?? CoordinatorAccess.defaultEndpoint
            guard error.code == .noKey else { throw .key(error, endpoint: address) }
            switch ServerGreeting.mechanism(at: address, within: Self.greetingPatience) {
            case nil: throw .absent(address)
            case "CURVE": throw .key(error, endpoint: address)
            default: throw .notAdmitted(.mismatch, endpoint: address)
            }
        }
    }
}
