@_spi(Baton) public import BatonZeroMQ

/// The way to a coordinator: its addresses, and the protection of the connection.
@_spi(Baton) public struct CoordinatorAccess: Sendable {
    /// The address at which a coordinator listens, and its peers look for it, unless somebody says otherwise.
    public static let defaultEndpoint = "tcp://127.0.0.1:7461"
    /// The name of the variable with the coordinator's address.
    public static let variable = "BATON_COORDINATOR"
    /// The name of the variable whose value 1 turns keys off.
    public static let insecureVariable = "BATON_INSECURE"

    /// The coordinator's address, or the addresses of several of which one leads, with commas between them.
    public let endpoint: String
    /// The same addresses; a malformed text is the only one.
    public let endpoints: EndpointList
    /// The protection of the connection, with the key, if any.
    public let security: SocketSecurity
    /// The key, or the token of the operation that the process belongs to; nil without keys.
    public let key: KeyLookup.Finding?

    fileprivate init(to endpoints: EndpointList, security: SocketSecurity, key: KeyLookup.Finding?) {
        endpoint = endpoints.description
        self.endpoints = endpoints
        self.security = security
        self.key = key
    }

    /// The token of the operation that the process belongs to, if the process acts by it.
    public var operationToken: OperationToken? {
        if case .operation(let token)? = key?.credential { token } else { nil }
    }

    /// The role of the key; nil without keys.
    public var role: Role? {
        switch key?.credential {
        case .key(let token): token.role
        case .operation: .operation
        case nil: nil
        }
    }
}

@_spi(Baton) extension KeyLookup {
    /// Finds a coordinator and the key for it.
    ///
    /// The address is the given one; else that of `BATON_COORDINATOR`; else the address in the key that is found without an
    /// address, or the address of the home's own coordinator, also for a connection without keys; else
    /// ``CoordinatorAccess/defaultEndpoint``. Several addresses with commas between them are those of one cluster, whose coordinators
    /// have the same key.
    ///
    /// - Parameters:
    ///   - roles: the roles that will do, the preferred one first.
    ///   - endpoint: the coordinator's address or addresses, if given.
    ///   - isInsecure: whether to speak without a key, to a coordinator without keys.
    /// - Throws: `KeyError`, as ``key(for:at:)`` does.
    public func access(
        for roles: [Role],
        at endpoint: String?,
        isInsecure: Bool = false
    ) throws(KeyError) -> CoordinatorAccess {
        let given = givenEndpoint(endpoint).map { EndpointList(asGiven: $0) }
        guard !isInsecure else {
            // A fault of the keys does not matter to somebody who uses none.
            let known = try? address(of: key(for: roles, at: nil))
            let endpoints = given ?? EndpointList(asGiven: known ?? CoordinatorAccess.defaultEndpoint)
            return CoordinatorAccess(to: endpoints, security: .none, key: nil)
        }
        let finding = try key(for: roles, atAnyOf: given?.endpoints.compactMap { ServerAddress($0) } ?? [])
        let endpoints: EndpointList
        if let given {
            endpoints = given
        } else {
            endpoints = EndpointList(asGiven: try address(of: finding) ?? CoordinatorAccess.defaultEndpoint)
        }
        return CoordinatorAccess(to: endpoints, security: try finding.credential.security(), key: finding)
    }

    /// The address or addresses that a user has given: the argument, else that of `BATON_COORDINATOR`; nil for neither.
    public func givenEndpoint(_ endpoint: String?) -> String? { endpoint ?? value(CoordinatorAccess.variable) }

    /// The coordinator's address that belongs to a key; nil if it is not known.
    private func address(of finding: Finding) throws(KeyError) -> String? {
        guard case .key(let token) = finding.credential else { return nil }
        if let address = token.address { return address.text }
        return try ownAddress(of: token.server)
    }

    /// Where the home's own coordinator listens, if the key is for it.
    private func ownAddress(of server: CurvePublicKey) throws(KeyError) -> String? {
        guard try directory.serverKey() == server else { return nil }
        return try directory.address()?.fromSameHost.text
    }
}
