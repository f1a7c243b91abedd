@_spi(Baton) public import BatonKeys
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) extension KeyLookup {
    /// The longest wait for a server's greeting.
    private static let greetingPatience = Duration.seconds(1)

    /// Finds a coordinator and a client's key for it.
    ///
    /// Without a key, the call asks whether a server is at each address at all, which may block for a second each: the user of a host
    /// where no coordinator has ever run misses the coordinator, not the key. Where the home has a worker's key alone, the address
    /// is the one in that key unless another is given.
    ///
    /// - Parameters:
    ///   - endpoint: the coordinator's address, or the addresses of several with commas between them, if given.
    ///   - isInsecure: whether to speak without a key, to a coordinator without keys.
    /// - Throws: `ClientError` with ``ClientError/Code/key``, or with the codes of a malformed address or an absent coordinator.
    public func clientAccess(at endpoint: String?, isInsecure: Bool = false) throws(ClientError) -> CoordinatorAccess {
        let roles: [Role] = [.client, .viewer]
        let given = givenEndpoint(endpoint)
        if let given, EndpointList(given) == nil { throw .invalidEndpoint(given) }
        do throws(KeyError) {
            return try access(for: roles, at: endpoint, isInsecure: isInsecure)
        } catch {
            let other = given == nil ? otherKey(than: roles) : nil
            let address = given ?? other?.address?.text ?? CoordinatorAccess.defaultEndpoint
            // With a key that will not do, the coordinator is known to be somewhere.
            guard error.code == .noKey, other == nil || other?.address != nil else {
                throw .key(error, endpoint: address)
            }
            throw Self.reason(for: error, at: EndpointList(asGiven: address))
        }
    }

    /// Why a client without a key cannot go on: the first server that answers at any of the addresses decides.
    private static func reason(for error: KeyError, at list: EndpointList) -> ClientError {
        for address in list.endpoints {
            switch ServerGreeting.mechanism(at: address, within: greetingPatience) {
            case nil: continue
            case "CURVE": return .key(error, endpoint: address)
            default: return .notAdmitted(.mismatch, endpoint: address)
            }
        }
        return .allFailed(list.endpoints.map { ClientError.absent($0) }, at: list.endpoints, of: list.description)
    }
}
