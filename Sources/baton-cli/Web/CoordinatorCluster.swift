@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonWeb
@_spi(Baton) import BatonWire

/// Connects the web interface to the coordinator in the same process.
struct CoordinatorCluster: WebCluster {
    /// A connection to the coordinator.
    private struct Connection: WebConnection {
        let connection: InProcessConnection

        var newestEvent: UInt64 { connection.newestEvent }

        func ask(_ request: Request) async -> Reply? { await connection.ask(request) }

        func close() { connection.close() }
    }

    let server: CoordinatorServer

    var leadersPage: String? { server.leadersPage }

    func connect(by key: AuthorizedKey?) -> any WebConnection { Connection(connection: server.connect(by: key)) }
}
