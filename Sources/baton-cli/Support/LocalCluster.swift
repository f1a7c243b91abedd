import Coordinator
import Foundation
import Logging
import Processes

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A cluster of one's own for as long as a command runs: a coordinator in this process, and two workers.
final class LocalCluster: Sendable {
    /// Two, so that one that is lost does not stop the work.
    private static let workerCount = 2

    private let directory: String
    private let server: CoordinatorServer
    private let workers: LocalWorkers

    /// Where its coordinator answers.
    var endpoint: String { server.endpoint }

    /// Starts it, with its state in a new directory.
    init() throws {
        let directory = try Self.makeDirectory()
        self.directory = directory
        do {
            let options = CoordinatorOptions(
                listen: "tcp://127.0.0.1:*",
                storePath: directory + "/baton.db",
                version: BatonVersion.current,
                logger: Logger(label: "coordinator", level: .warning)
            )
            server = try CoordinatorServer(options)
        } catch {
            Self.remove(directory)
            throw error
        }
        do {
            workers = try LocalWorkers(
                count: Self.workerCount,
                slots: LocalWorkers.slotsOfEach(of: Self.workerCount),
                coordinator: server.endpoint,
                home: directory,
                logger: Logger(label: "run", level: .warning)
            )
        } catch {
            server.stop()
            try? server.run()
            Self.remove(directory)
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
        Self.remove(directory)
    }

    /// Ends what its operations run, and removes its directory, for a process that is about to leave.
    func stopNow() {
        workers.stopNow()
        Self.remove(directory)
    }

    private static func remove(_ directory: String) {
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static func makeDirectory() throws(CommandFailure) -> String {
        let parent = Surroundings.variable("TMPDIR") ?? "/tmp"
        var template = Array("\(parent)/baton-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template).map({ String(cString: $0) }) else {
            throw CommandFailure(
                ExitStatus.notAllowed,
                code: "directory",
                "No directory can be made in \(parent): \(String(cString: strerror(errno))). Name another with TMPDIR."
            )
        }
        return path
    }
}
