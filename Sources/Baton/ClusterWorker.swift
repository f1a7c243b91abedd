import Foundation
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWorker

/// A worker of the cluster inside your own program: the worker runs the program's types of operations, and commands.
///
/// ```swift
/// var worker = ClusterWorker(coordinator: "tcp://10.0.0.1:7461", name: "resizer", slots: 4, directory: "/var/lib/resizer")
/// try worker.register(Resize.self)
/// try await worker.run()
/// ```
public struct ClusterWorker: Sendable {
    private var options: WorkerOptions

    /// Describes a worker.
    ///
    /// - Parameters:
    ///   - coordinator: the coordinator's address, for example `tcp://127.0.0.1:7461`.
    ///   - name: the worker's name, unique in the cluster.
    ///   - slots: the number of operations to run at once, from 1 to 4096.
    ///   - directory: the directory for outputs and results until the coordinator has received them; the worker creates a
    ///     missing directory, and the directory belongs to one worker.
    public init(coordinator: String, name: String, slots: Int, directory: String) {
        options = WorkerOptions(
            coordinator: coordinator,
            name: name,
            slots: slots,
            directory: directory,
            openFiles: .raise(),
            version: ProcessInfo.processInfo.processName,
            logger: Logger(label: "worker", metadata: ["worker": "\(name.asShown)"])
        )
    }

    /// Registers a type of operations with the worker.
    ///
    /// - Throws: ``ClusterError`` if the name of the type is not allowed, or is registered already.
    public mutating func register<Operation: ClusterOperation>(_ type: Operation.Type) throws(ClusterError) {
        do throws(WorkerError) {
            try options.types.register(type.typeName) { argument in
                let operation = try OperationCoding.decode(Operation.self, from: argument)
                return try OperationCoding.encode(try await operation.run())
            }
        } catch {
            throw ClusterError(error)
        }
    }

    /// Runs the worker until SIGTERM, SIGINT or SIGHUP, or until the task is cancelled; then ends running operations in order.
    ///
    /// A second signal ends the worker at once. The worker takes over these three signals of the process for good; call this
    /// method once.
    ///
    /// - Throws: ``ClusterError`` if the name, slots or directory cannot be used, or the coordinator refuses the worker.
    public func run() async throws(ClusterError) {
        do {
            let worker = try WorkerProcess(options)
            let watcher = SignalWatcher { _, count in
                if count == 1 { worker.stop() } else { worker.stopNow() }
            }
            defer { withExtendedLifetime(watcher) {} }
            try await withTaskCancellationHandler {
                try await onOwnThread { () throws(WorkerError) in try worker.run() }
            } onCancel: {
                worker.stop()
            }
        } catch let error as WorkerError {
            throw ClusterError(error)
        } catch {
            throw ClusterError(.fault, "\(error)")
        }
    }
}
