@_spi(Baton) import BatonKeys
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
    private let home: String?

    /// How long running operations may go on after the worker was asked to stop, before they are ended; 8 seconds by default.
    ///
    /// A request to stop is SIGTERM, SIGINT, SIGHUP, the cancellation of the task, `baton stop`, or the end of the time limit. Zero
    /// ends running operations at once. From 0 to 10000 days.
    public var drainTimeout: Duration {
        get { options.drainTimeout }
        set { options.drainTimeout = newValue }
    }

    /// How long the worker may have nothing to do before ``run()`` returns; nil, the default, for ever.
    ///
    /// Up to 10000 days.
    public var idleExit: Duration? {
        get { options.idleExit }
        set { options.idleExit = newValue }
    }

    /// How long the worker runs before it stops; nil, the default, for no limit.
    ///
    /// Above zero, up to 10000 days. The worker gets no operations that declare a longer expected duration or timeout than is left.
    public var timeLimit: Duration? {
        get { options.timeLimit }
        set { options.timeLimit = newValue }
    }

    /// The units of named resources that the worker has for operations; none by default.
    ///
    /// The names have letters, digits, dots, hyphens and underscores, and start with a letter; a resource has from 1 to 4096 units.
    /// Operations that run at once never hold more units together. Commands also get the numbers of their units, from 0, in
    /// `BATON_RESOURCE_` and the resource's name; Swift operations do not.
    public var resources: [String: Int] {
        get { options.resources.amounts }
        set { options.resources.amounts = newValue }
    }

    /// The labels of the worker, for operations that ask for them; none by default.
    ///
    /// The names follow the rule of ``resources``; values may start with any of the characters.
    public var labels: [String: String] {
        get { options.resources.labels }
        set { options.resources.labels = newValue }
    }

    /// Describes a worker.
    ///
    /// - Parameters:
    ///   - coordinator: the coordinator's address, for example `tcp://127.0.0.1:7461`.
    ///   - name: the worker's name, unique in the cluster.
    ///   - slots: the number of operations to run at once, from 1 to 4096.
    ///   - directory: the directory for outputs and results until the coordinator has received them; the worker creates a
    ///     missing directory, and the directory belongs to one worker.
    ///   - home: the state directory with the worker's key, unless `BATON_KEY` or `BATON_KEY_FILE` gives one; nil for that of
    ///     `BATON_HOME`, else `~/.local/state/baton`. With `BATON_INSECURE=1`, the worker uses no key.
    public init(coordinator: String, name: String, slots: Int, directory: String, home: String? = nil) {
        self.home = home
        options = WorkerOptions(
            coordinator: coordinator,
            name: name,
            slots: slots,
            directory: directory,
            openFiles: .raise(),
            version: ProcessInfo.processInfo.processName,
            logger: Logger(label: "worker", metadata: ["worker": "\(name.asShown)"])
        )
        // A control group would have to be that of the whole program.
        options.resources.memoryControl = .sampling
    }

    /// Registers a type of operations with the worker.
    ///
    /// - Throws: ``ClusterError`` if the name of the type is not allowed, or is registered already.
    public mutating func register<Operation: ClusterOperation>(_ type: Operation.Type) throws(ClusterError) {
        do throws(WorkerError) {
            try options.types.register(type.typeName) { call in
                let operation = try OperationCoding.decode(Operation.self, from: call.argument)
                return try OperationCoding.encode(try await operation.run())
            }
        } catch {
            throw ClusterError(error)
        }
    }

    /// Runs the worker until SIGTERM, SIGINT or SIGHUP, until the task is cancelled, or until the worker is stopped.
    ///
    /// The worker then takes nothing new, waits for running operations up to ``drainTimeout``, and ends the rest in order.
    ///
    /// A second signal ends the worker at once. The worker takes over these three signals of the process for good; call this
    /// method once.
    ///
    /// - Throws: ``ClusterError`` if the name, slots or directory cannot be used, there is no usable key, or the coordinator refuses the
    ///   worker.
    public func run() async throws(ClusterError) {
        do {
            let lookup = KeyLookup.ofProcess(home: home)
            var options = options
            options.security = try lookup.access(
                for: [.worker],
                at: options.coordinator,
                isInsecure: lookup.isInsecure
            ).security
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
        } catch let error as KeyError {
            throw ClusterError(.key, error.message)
        } catch {
            throw ClusterError(.fault, "\(error)")
        }
    }
}
