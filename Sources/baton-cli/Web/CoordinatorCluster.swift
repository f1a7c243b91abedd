@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonWeb
@_spi(Baton) import BatonWire

/// The coordinator of this process, as its web interface asks it.
struct CoordinatorCluster: WebCluster {
    /// A connection to the coordinator.
    private struct Connection: WebConnection {
        let connection: InProcessConnection

        func ask(_ request: Request) async -> Reply? { await connection.ask(request) }

        func close() { connection.close() }
    }

    let server: CoordinatorServer

    func connect(by key: AuthorizedKey?) -> any WebConnection { Connection(connection: server.connect(by: key)) }
}
