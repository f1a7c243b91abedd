@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonThreads

/// A private cluster for the duration of a command: a coordinator in this process, and a worker with all that the host has.
///
/// Several workers would each have a part of the host, and no worker could take an operation that asks for all processors.
final class LocalCluster: Sendable {
    private let directory: TemporaryDirectory
    private let server: CoordinatorServer
    private let workers: LocalWorkers
    private let keeper: OwnKeeper

    /// The coordinator, with the key of the cluster's own directory.
    let access: CoordinatorAccess

    /// Starts the cluster, with its state in a new directory.
    ///
    /// - Parameter isInsecure: whether the cluster has no keys.
    init(isInsecure: Bool) throws {
        let directory = try TemporaryDirectory()
        self.directory = directory
        do {
            var options = CoordinatorOptions(
                listen: "tcp://127.0.0.1:*",
                store: .file(directory.path + "/baton.db"),
                keys: isInsecure ? nil : directory.keys,
                version: BatonVersion.current,
                logger: Logger(label: "coordinator", level: .warning)
            )
            keeper = try OwnKeeper(
                archive: nil,
                record: options.ownFiles,
                keys: options.keys,
                logger: options.logger
            )
            keeper.introduce(to: &options)
            server = try CoordinatorServer(options)
            try keeper.begin(at: server.endpoint)
            access = try directory.access(to: server.endpoint, isInsecure: isInsecure)
        } catch {
            directory.remove()
            throw error
        }
        do {
            workers = try LocalWorkers(
                count: 1,
                slots: LocalWorkers.slotsOfEach(of: 1),
                resources: .withoutControlGroups,
                coordinator: server.endpoint,
                home: directory.path,
                isInsecure: isInsecure,
                logger: Logger(label: "run", level: .warning)
            )
        } catch {
            server.stop()
            try? server.run()
            directory.remove()
            throw error
        }
        workers.start()
    }

    /// Ends all parts of the cluster, and removes the directory.
    func stop() async {
        await workers.stop()
        server.stop()
        let server = server
        try? await onOwnThread(named: "server") { () throws(CoordinatorError) in try server.run() }
        keeper.stop()
        directory.remove()
    }

    /// Ends the processes of the operations, and removes the directory, for a process about to exit.
    func stopNow() {
        workers.stopNow()
        directory.remove()
    }
}
