#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Finds the key with which a command or a worker speaks to a coordinator.
///
/// The order is: a token in the variable `BATON_KEY`, a file with a token that `BATON_KEY_FILE` names, the home's keys. An
/// empty variable counts as a missing one. What is found first is used: a token of another role is an error, not a reason
/// to look further.
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
            /// The home's key directory.
            case home
        }

        /// The key, with the server's public key.
        public let token: JoinToken
        /// The place of the key.
        public let source: Source
    }

    /// The variable with a token.
    public static let variable = "BATON_KEY"
    /// The variable with the path of a file.
    public static let fileVariable = "BATON_KEY_FILE"

    private let environment: [String: String]
    private let directory: KeyDirectory

    /// Looks in an environment and a home's directory.
    public init(environment: [String: String], directory: KeyDirectory) {
        self.environment = environment
        self.directory = directory
    }

    /// Finds the key for a coordinator.
    ///
    /// Of the home's keys with a wanted role, the first of these is used: a key with this address; the key of this home's
    /// own coordinator, if the address is that coordinator's or is not given; the only key.
    ///
    /// - Parameters:
    ///   - roles: the roles that will do, the preferred one first.
    ///   - address: the coordinator to speak to; nil for any.
    /// - Throws: `KeyError` with ``KeyError/Code/noKey``, ``KeyError/Code/wrongRole`` or ``KeyError/Code/ambiguous``, or if
    ///   a token or file is refused.
    public func key(for roles: [Role], at address: ServerAddress?) throws(KeyError) -> Finding {
        if let text = value(Self.variable) {
            return Finding(token: try token(text, for: roles), source: .variable)
        }
        if let path = value(Self.fileVariable) {
            return Finding(token: try token(inFile: path, for: roles), source: .file(path))
        }
        return Finding(token: try homeToken(for: roles, at: address), source: .home)
    }

    private func value(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    private func token(_ text: String, for roles: [Role]) throws(KeyError) -> JoinToken {
        do {
            return try Self.checked(JoinToken(text), roles)
        } catch {
            throw KeyError(error.code, "The key in the environment is not usable: \(error)", variable: Self.variable)
        }
    }

    private func token(inFile path: String, for roles: [Role]) throws(KeyError) -> JoinToken {
        guard !path.utf8.contains(0) else { throw .notAccessible(path, "open", code: EINVAL) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .notAccessible(path, "open") }
        defer { close(descriptor) }
        let rule = Self.isMounted(path) ? KeyFile.Rule.mounted : .given
        let bytes = try KeyFile.content(of: descriptor, path: path, rule: rule)
        do {
            return try Self.checked(JoinToken(String(decoding: bytes, as: UTF8.self)), roles)
        } catch {
            throw KeyError(error.code, "The key file \(path) is not usable: \(error)", path: path)
        }
    }

    /// Whether a file is on a container's mount of secrets, by its real path.
    private static func isMounted(_ path: String) -> Bool {
        guard let real = realpath(path, nil) else { return false }
        defer { free(real) }
        return String(cString: real).hasPrefix("/run/secrets/")
    }

    private static func checked(_ token: JoinToken, _ roles: [Role]) throws(KeyError) -> JoinToken {
        guard roles.contains(token.role) else {
            throw KeyError(.wrongRole, "The key \(token.name) has the role \(token.role), not \(list(roles)).")
        }
        return token
    }

    private func homeToken(for roles: [Role], at address: ServerAddress?) throws(KeyError) -> JoinToken {
        let tokens = try directory.tokens()
        let own = try directory.serverKey()
        let ownAddress = own == nil ? nil : try directory.address()
        for role in roles {
            let candidates = tokens.filter { $0.role == role }
            if let address, let token = candidates.first(where: { $0.address == address }) { return token }
            if address == nil || address == ownAddress, let token = candidates.first(where: { $0.server == own }) {
                return token
            }
            if candidates.count == 1 { return candidates[0] }
            if candidates.count > 1 {
                throw KeyError(
                    .ambiguous,
                    "\(directory.path) has \(role) keys of \(candidates.count) coordinators, and none of them is known to be "
                        + "at \(address?.text ?? "the given address").",
                    path: directory.path
                )
            }
        }
        throw KeyError(.noKey, "There is no \(Self.list(roles)) key in \(directory.path).", path: directory.path)
    }

    private static func list(_ roles: [Role]) -> String { roles.map(\.rawValue).joined(separator: " or ") }
}
