import Foundation
import BatonLogging
import BatonOperations
import BatonProcesses
import BatonWorker

/// A worker of the cluster inside a program of one's own, which runs the program's types of operations, and commands.
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
    ///   - coordinator: the coordinator's address, such as `tcp://127.0.0.1:7461`.
    ///   - name: its name, which no other worker has.
    ///   - slots: how many operations it runs at once, from 1 to 4096.
    ///   - directory: where it keeps outputs and results until the coordinator has them; it is made where there is none, and
    ///     belongs to one worker.
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

    /// Lets it run operations of a type.
    ///
    /// - Throws: ``ClusterError`` where the name of the type is not allowed, or is registered already.
    public mutating func register<Operation: ClusterOperation>(_ type: Operation.Type) throws(ClusterError) {
        do throws(WorkerError) {
            try options.types.register(type.typeName) { argument in
                let operation = try OperationCoding.decode(Operation.self, from: argument)
                return try OperationCoding.encode(try await operation.run())
            }
        } catch {
            throw ClusterError("\(error)")
        }
    }

    /// Works until SIGTERM, SIGINT or SIGHUP, or until the task is cancelled; what it runs is ended in order then.
    ///
    /// A second signal ends it at once. It takes these three signals of the process over for good; call it once.
    ///
    /// - Throws: ``ClusterError`` where the name, slots or directory cannot be used, or the coordinator refuses the worker.
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
        } catch {
            throw ClusterError("\(error)")
        }
    }
}
