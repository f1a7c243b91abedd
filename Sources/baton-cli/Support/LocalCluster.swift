import BatonCoordinator
import BatonLogging
import BatonProcesses

/// A cluster of one's own for as long as a command runs: a coordinator in this process, and two workers.
final class LocalCluster: Sendable {
    /// Two, so that one that is lost does not stop the work.
    private static let workerCount = 2

    private let directory: TemporaryDirectory
    private let server: CoordinatorServer
    private let workers: LocalWorkers

    /// Where its coordinator answers.
    var endpoint: String { server.endpoint }

    /// Starts it, with its state in a new directory.
    init() throws {
        let directory = try TemporaryDirectory()
        self.directory = directory
        do {
            let options = CoordinatorOptions(
                listen: "tcp://127.0.0.1:*",
                storePath: directory.path + "/baton.db",
                version: BatonVersion.current,
                logger: Logger(label: "coordinator", level: .warning)
            )
            server = try CoordinatorServer(options)
        } catch {
            directory.remove()
            throw error
        }
        do {
            workers = try LocalWorkers(
                count: Self.workerCount,
                slots: LocalWorkers.slotsOfEach(of: Self.workerCount),
                coordinator: server.endpoint,
                home: directory.path,
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

    /// Ends all of it, and removes its directory.
    func stop() async {
        await workers.stop()
        server.stop()
        let server = server
        try? await onOwnThread { () throws(CoordinatorError) in try server.run() }
        directory.remove()
    }

    /// Ends what its operations run, and removes its directory, for a process that is about to leave.
    func stopNow() {
        workers.stopNow()
        directory.remove()
    }
}
