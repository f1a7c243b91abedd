@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonWeb

/// The coordinator of this process, as its web interface asks it.
struct CoordinatorCluster: WebCluster {
    let server: CoordinatorServer

    func connect(by key: AuthorizedKey?) -> any WebConnection { server.connect(by: key) }
}

extension InProcessConnection: WebConnection {}
