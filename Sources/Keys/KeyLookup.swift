@_spi(Baton) import BatonZeroMQ

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Finds the credential with which a command or a worker speaks to a coordinator.
///
/// The order is: a key in the variable `BATON_KEY`, a file with a key that `BATON_KEY_FILE` names, the token of the operation
/// that the process belongs to in `BATON_TOKEN`, the home's keys. An empty variable counts as a missing one. What is found first
/// is used: a key of another role is an error, not a reason to look further.
///
/// An operation's token is for its own coordinator, at the addresses in `BATON_COORDINATOR`, and for clients; other lookups pass
/// it over.
///
/// A file of `BATON_KEY_FILE` belongs to the process's user and is closed to others; a process of root may also use a
/// private file of another user. Below `/run/secrets`, where container runtimes mount secrets that often belong to root and
/// are readable to all, the owner and the readers do not matter, but nobody except the owner may change the file.
@_spi(Baton) public struct KeyLookup: Sendable {
    /// A found key.
    public struct Finding: Equatable, Sendable {
        /// The place of a key.
        public enum Source: Hashable, Sendable {
            /// The variable `BATON_KEY`.
            case variable
            /// The file that `BATON_KEY_FILE` names.
            case file(String)
            /// The variable `BATON_TOKEN`.
            case operation
            /// The home's key directory.
            case home
        }

        /// What was found: a key, or the token of an operation.
        public let credential: Credential
        /// The place of the key.
        public let source: Source
    }

    /// The variable with a token.
    public static let variable = "BATON_KEY"
    /// The variable with the path of a file.
    public static let fileVariable = "BATON_KEY_FILE"
    /// The variable with the token of the operation that a process belongs to.
    public static let operationVariable = "BATON_TOKEN"

    private let environment: [String: String]
    /// The home's key directory.
    public let directory: KeyDirectory

    /// Looks in an environment and a home's directory.
    public init(environment: [String: String], directory: KeyDirectory) {
        self.environment = environment
        self.directory = directory
    }

    /// Finds the key for a coordinator.
    ///
    /// Of the home's keys with a wanted role, the first of these is used: a key of the only coordinator; a key with this address; the
    /// key of this home's own coordinator, if the coordinator may listen at the address or no address is given; the only key without
    /// an address.
    ///
    /// - Parameters:
    ///   - roles: the roles that will do, the preferred one first.
    ///   - address: the coordinator to speak to; nil for any.
    /// - Throws: `KeyError` with ``KeyError/Code/noKey``, ``KeyError/Code/wrongRole`` or ``KeyError/Code/ambiguous``, or if
    ///   a token or file is refused.
    public func key(for roles: [Role], at address: ServerAddress?) throws(KeyError) -> Finding {
        try key(for: roles, atAnyOf: address.map { [$0] } ?? [])
    }

    /// Finds the key for coordinators that stand in for each other, and share one key.
    ///
    /// The first of the addresses decides for which the home has a key; see ``key(for:at:)``.
    ///
    /// - Parameters:
    ///   - roles: the roles that will do, the preferred one first.
    ///   - addresses: the coordinators to speak to; empty for any.
    /// - Throws: `KeyError` as ``key(for:at:)`` does, and with ``KeyError/Code/ambiguous`` if the home's keys for two of the addresses
    ///   are those of different coordinators.
    public func key(for roles: [Role], atAnyOf addresses: [ServerAddress]) throws(KeyError) -> Finding {
        if let text = value(Self.variable) {
            return Finding(credential: .key(try token(text, for: roles)), source: .variable)
        }
        if let path = value(Self.fileVariable) {
            return Finding(credential: .key(try token(inFile: path, for: roles)), source: .file(path))
        }
        if let text = value(Self.operationVariable), isForOperations(roles, at: addresses) {
            return Finding(credential: .operation(try operationToken(text)), source: .operation)
        }
        return Finding(credential: .key(try homeToken(for: roles, at: addresses)), source: .home)
    }

    /// Whether an operation's token will do for these roles at these addresses, all of which are its own coordinators'.
    private func isForOperations(_ roles: [Role], at addresses: [ServerAddress]) -> Bool {
        guard roles.contains(.client) || roles.contains(.viewer), !addresses.isEmpty,
            let own = value(CoordinatorAccess.variable).map({ EndpointList(asGiven: $0) })
        else { return false }
        return addresses.allSatisfy { own.contains($0.text) }
    }

    /// The value of a variable; nil for a missing or empty one.
    public func value(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    private func token(_ text: String, for roles: [Role]) throws(KeyError) -> JoinToken {
        do {
            return try Self.checked(JoinToken(text), roles)
        } catch {
            throw KeyError(error.code, "The key in \(Self.variable) is not usable: \(error)", variable: Self.variable)
        }
    }

    private func operationToken(_ text: String) throws(KeyError) -> OperationToken {
        do {
            return try OperationToken(text)
        } catch {
            throw KeyError(
                error.code,
                "The operation's token in the environment is not usable: \(error)",
                variable: Self.operationVariable
            )
        }
    }

    private func token(inFile path: String, for roles: [Role]) throws(KeyError) -> JoinToken {
        do {
            return try Self.token(inGiven: path, for: roles)
        } catch {
            var error = error
            error.variable = Self.fileVariable
            throw error
        }
    }

    private static func token(inGiven path: String, for roles: [Role]) throws(KeyError) -> JoinToken {
        let opening = "open the key file of \(fileVariable),"
        guard !path.utf8.contains(0) else { throw .notAccessible(path, opening, code: EINVAL) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .notAccessible(path, opening) }
        defer { close(descriptor) }
        let rule = KeyFile.isMounted(path) ? KeyFile.Rule.mounted : .given
        let bytes = try KeyFile.content(of: descriptor, path: path, rule: rule)
        guard !bytes.isEmpty else {
            throw KeyError(
                .invalidToken,
                "The key file \(path) of \(fileVariable) is empty: the command that made the key has failed.",
                path: path
            )
        }
        do {
            return try checked(JoinToken(String(decoding: bytes, as: UTF8.self)), roles)
        } catch {
            throw KeyError(
                error.code,
                "The key file \(path) of \(fileVariable) is not usable: \(error)",
                path: path
            )
        }
    }

    private static func checked(_ token: JoinToken, _ roles: [Role]) throws(KeyError) -> JoinToken {
        guard roles.contains(token.role) else {
            throw KeyError(.wrongRole, "The key \(token.name) has the role \(token.role), not \(list(roles)).")
        }
        return token
    }

    /// The home's key of a role that will not do, such as that of a host of workers; nil if there is none.
    ///
    /// A key with the coordinator's address goes before others.
    public func otherKey(than roles: [Role]) -> JoinToken? {
        let tokens = ((try? directory.tokens()) ?? []).filter { $0.role != .operation && !roles.contains($0.role) }
        return tokens.first { $0.address != nil } ?? tokens.first
    }

    private func homeToken(for roles: [Role], at addresses: [ServerAddress]) throws(KeyError) -> JoinToken {
        var tokens: [JoinToken] = []
        for role in roles { tokens += try directory.tokens(of: role) }
        if Set(tokens.map(\.server)).count > 1 { return try chosen(of: tokens, at: addresses) }
        if let first = tokens.first { return first }
        let place = addresses.isEmpty ? "" : " for the coordinator at \(Self.choice(of: addresses.map(\.text)))"
        let only = otherKey(than: roles).map { other in
            ", only a \(other.role)'s key\(other.address.map { " for the coordinator at \($0)" } ?? "")"
        }
        throw KeyError(
            .noKey,
            "There is no \(Self.list(roles)) key\(place) in \(directory.path)\(only ?? "").",
            path: directory.path
        )
    }

    /// Chooses among keys of several coordinators, in the order of the preferred roles.
    private func chosen(of tokens: [JoinToken], at addresses: [ServerAddress]) throws(KeyError) -> JoinToken {
        if let token = try certain(of: tokens, at: addresses) { return token }
        let own = try directory.serverKey()
        if try isOwnCoordinator(at: addresses), let token = tokens.first(where: { $0.server == own }) { return token }
        // What is left is a key whose coordinator may be anywhere; the own coordinator is known to be elsewhere.
        let anywhere = tokens.filter { $0.address == nil && $0.server != own }
        if anywhere.count == 1 { return anywhere[0] }
        let count = Set(tokens.map(\.server)).count
        throw KeyError(
            .ambiguous,
            "\(directory.path) has keys of \(count) coordinators\(try places(of: tokens)), and "
                + (addresses.isEmpty
                    ? "no address says which one is meant."
                    : "none of them is known to be at \(Self.choice(of: addresses.map(\.text)))."),
            path: directory.path
        )
    }

    /// The key of the first address that is known to be the place of a key's coordinator; nil if none is.
    private func certain(of tokens: [JoinToken], at addresses: [ServerAddress]) throws(KeyError) -> JoinToken? {
        var found: (token: JoinToken, address: ServerAddress)?
        for address in addresses {
            guard let token = try certain(of: tokens, at: address) else { continue }
            guard let first = found else {
                found = (token, address)
                continue
            }
            if first.token.server != token.server {
                throw .ofDifferentClusters(first.address, address, in: directory.path)
            }
        }
        return found?.token
    }

    /// The key of the coordinator that is known to be at an address: the key says so, or the home's own coordinator listens there.
    ///
    /// An own coordinator at all addresses of its host may be anywhere.
    private func certain(of tokens: [JoinToken], at address: ServerAddress) throws(KeyError) -> JoinToken? {
        if let token = tokens.first(where: { $0.address?.sharesAddress(with: address) ?? false }) { return token }
        guard let listened = try directory.address(), !listened.isWildcard, listened.mayAnswer(at: address) else {
            return nil
        }
        let own = try directory.serverKey()
        return tokens.first { $0.server == own }
    }

    /// The known addresses of keys in a sentence: `, at tcp://a:7461, tcp://b:7461 and 2 more`; empty if none is known.
    private func places(of tokens: [JoinToken]) throws(KeyError) -> String {
        let own = try directory.serverKey()
        var places: [String] = []
        for token in tokens {
            let own = token.server == own ? try directory.address()?.fromSameHost : nil
            if let place = (token.address ?? own)?.text, !places.contains(place) { places.append(place) }
        }
        guard let last = places.last else { return "" }
        guard places.count > Self.mostPlaces else {
            return ", at " + (places.count == 1 ? last : "\(places.dropLast().joined(separator: ", ")) and \(last)")
        }
        let shown = places.prefix(Self.mostPlaces).joined(separator: ", ")
        return ", at \(shown) and \(places.count - Self.mostPlaces) more"
    }

    /// The most addresses in a sentence.
    private static let mostPlaces = 5

    /// Whether the home's own coordinator may listen at one of the addresses; true without an address.
    private func isOwnCoordinator(at addresses: [ServerAddress]) throws(KeyError) -> Bool {
        guard !addresses.isEmpty else { return true }
        guard let listened = try directory.address() else { return false }
        return addresses.contains { listened.mayAnswer(at: $0) }
    }

    /// Roles in a sentence: `client`, `client or viewer`, `client, viewer or worker`.
    private static func list(_ roles: [Role]) -> String { choice(of: roles.map(\.rawValue)) }

    /// Words in a sentence, of which one is meant: `a`, `a or b`, `a, b or c`.
    private static func choice(of words: [String]) -> String {
        guard words.count > 1, let last = words.last else { return words.joined() }
        return "\(words.dropLast().joined(separator: ", ")) or \(last)"
    }
}
