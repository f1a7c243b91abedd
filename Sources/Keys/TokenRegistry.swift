import Synchronization

/// The holder of a token for HTTP.
@_spi(Baton) public struct TokenHolder: Hashable, Sendable {
    /// What the holder may do: ``Role/client`` or ``Role/viewer``.
    public let role: Role
    /// The key in the table of the home; nil for the home's own token on a coordinator without keys.
    public let key: AuthorizedKey?

    /// Describes a holder.
    public init(role: Role, key: AuthorizedKey?) {
        self.role = role
        self.key = key
    }
}

/// Recognizes the tokens for HTTP of a coordinator; any thread may ask.
///
/// The registry looks at the files of tokens at each question, and reads those that have changed: a revoked token is unknown from
/// then on. A file that cannot be read for the moment leaves what was known.
@_spi(Baton) public final class TokenRegistry: Sendable {
    private struct Files {
        var tableStamp: FileStamp?
        var table = KeyTable()
        var localStamp: FileStamp?
        var local: BearerTokenHash?
    }

    private let directory: KeyDirectory?
    private let localFile: LocalTokenFile
    private let isInsecure: Bool
    private let files = Mutex(Files())

    /// Recognizes the tokens of a home's coordinator.
    ///
    /// - Parameters:
    ///   - directory: the directory of the home's keys, which need not exist; nil for no tokens but the home's own.
    ///   - localFile: the file with the home's own token.
    ///   - isInsecure: whether the coordinator has no keys, so that the home's own token has none either.
    public init(_ directory: KeyDirectory?, localFile: LocalTokenFile, isInsecure: Bool = false) {
        self.directory = directory
        self.localFile = localFile
        self.isInsecure = isInsecure
    }

    /// The holder of a token; nil for a token that is unknown or revoked.
    public func holder(of token: BearerToken) -> TokenHolder? {
        let hash = token.hash
        return files.withLock { files in
            refresh(&files)
            if files.local == hash { return holderOfLocalToken(files.table) }
            guard let key = files.table[.token(hash)], !key.isRevoked else { return nil }
            return TokenHolder(role: key.role, key: key)
        }
    }

    /// Whether a holder's key is still admitted, and its token known.
    public func admits(_ holder: TokenHolder) -> Bool {
        guard let key = holder.key else { return true }
        return files.withLock { files in
            refresh(&files)
            return files.table[key.number].map { !$0.isRevoked } ?? false
        }
    }

    /// The home's own token has the rights of the home's own client key, and ends with it.
    private func holderOfLocalToken(_ table: KeyTable) -> TokenHolder? {
        guard let directory, !isInsecure else { return TokenHolder(role: .client, key: nil) }
        guard let server = try? directory.serverKey(), let token = try? directory.token(server: server, role: .client),
            let publicKey = try? token.publicKey(), let key = table[publicKey], !key.isRevoked
        else { return nil }
        return TokenHolder(role: .client, key: key)
    }

    private func refresh(_ files: inout Files) {
        let localStamp = FileStamp(path: localFile.path)
        if localStamp != files.localStamp || localStamp == nil {
            if localStamp == nil {
                (files.localStamp, files.local) = (nil, nil)
            } else if let token = try? localFile.token() {
                (files.localStamp, files.local) = (localStamp, token.hash)
            }
        }
        guard let directory, let tableStamp = FileStamp(path: directory.tablePath), tableStamp != files.tableStamp,
            let table = try? directory.table()
        else { return }
        (files.tableStamp, files.table) = (tableStamp, table)
    }
}
