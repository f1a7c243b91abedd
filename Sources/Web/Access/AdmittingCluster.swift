@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonWire

/// A coordinator that answers the holders of tokens that are still admitted.
///
/// A coordinator without keys watches over none: a token that is revoked while its holder looks at something ends here.
struct AdmittingCluster: WebCluster {
    private struct Connection: WebConnection {
        let connection: any WebConnection
        let key: AuthorizedKey?
        let access: RequestGuard

        var newestEvent: UInt64 { connection.newestEvent }

        func ask(_ request: Request) async -> Reply? {
            guard access.admits(WebCaller(holder: key.map { TokenHolder(role: $0.role, key: $0) })) else { return nil }
            return await connection.ask(request)
        }

        func close() { connection.close() }
    }

    let cluster: any WebCluster
    /// Knows the tokens.
    let access: RequestGuard

    var leadersPage: String? { cluster.leadersPage }

    func connect(by key: AuthorizedKey?) -> any WebConnection {
        Connection(connection: cluster.connect(by: key), key: key, access: access)
    }
}
