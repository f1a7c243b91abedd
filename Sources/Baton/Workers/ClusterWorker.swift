@_spi(Baton) import BatonKeys
import Foundation
import Synchronization
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWorker

/// A worker of the cluster inside your own program: the worker runs the program's types of operations, and commands.
///
/// ```swift
/// try await ClusterWorker(coordinator: "tcp://10.0.0.1:7461", slots: 4, operations: [Resize.self]).run()
/// ```
public struct ClusterWorker: Sendable {
    private(set) var options: WorkerOptions
    private var types: [any ClusterOperation.Type] = []
    /// The coordinator's address as the program gave it; nil for that of the environment or the key.
    private let coordinator: String?
    private let home: String
    /// Whether the worker or a copy of it has been run.
    private let runs = RunOnce()

    /// How long running operations may go on after the worker was asked to stop, before they are ended; 8 seconds by default.
    ///
    /// A request to stop is SIGTERM, SIGINT, SIGHUP, the cancellation of the task, `baton stop`, or the end of the time limit. Zero
    /// ends running operations at once. From 0 to 10000 days.
    ///
    /// Commands are ended by SIGTERM, and by SIGKILL after their grace period. Swift operations are ended by the cancellation of their
    /// tasks. Swift cannot stop code from outside: a `run(in:)` that does not look at the cancellation keeps ``run(untilSignalled:)``
    /// from returning.
    public var drainTimeout: Duration {
        get { options.drainTimeout }
        set { options.drainTimeout = newValue }
    }

    /// How long the worker may have nothing to do before ``run(untilSignalled:)`` returns; nil, the default, for ever.
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

    /// The logger of the worker's Swift operations, for ``OperationContext/logger``; standard error from `info` on by default.
    ///
    /// The worker's own lines always go to standard error.
    public var logger = OperationLogger()

    /// Describes a worker, with the defaults of `baton worker`.
    ///
    /// The worker's key is that of `BATON_KEY`, of the file that `BATON_KEY_FILE` names, or of the state directory. With
    /// `BATON_INSECURE=1`, the worker uses no key, and expects a coordinator without keys.
    ///
    /// - Parameters:
    ///   - coordinator: the coordinator's address, for example `tcp://127.0.0.1:7461`, or those of several coordinators of one cluster
    ///     with commas between them, of which one leads; nil for that of `BATON_COORDINATOR`, else the address that belongs to the key,
    ///     else `tcp://127.0.0.1:7461`.
    ///   - name: the worker's name, unique in the cluster; nil for the host's name with a short random part, kept in the directory
    ///     and used again by the next worker without a name there.
    ///   - slots: the number of operations to run at once, from 1 to 4096; nil for one for each processor that the process may use.
    ///   - directory: the directory for outputs and results until the coordinator has received them; the worker creates a missing
    ///     directory. It belongs to one worker; for a worker without a name, it contains the directories of such workers. nil for
    ///     `workers` in the state directory, with the worker's name if it has one.
    ///   - labels: the labels of the worker, for operations that ask for them. Names have letters, digits, dots, hyphens and
    ///     underscores, and start with a letter; values may start with any of the characters.
    ///   - resources: the units of named resources that the worker has for operations, from 1 to 4096 of each; names follow the rule
    ///     of labels. Operations that run at once never hold more units together. Commands also get the numbers of their units, from
    ///     0, in `BATON_RESOURCE_` and the resource's name; Swift operations do not.
    ///   - operations: the types of Swift operations that the worker runs, at most 1024; more can follow by ``register(_:)``.
    ///   - home: the state directory with the worker's key; nil for that of `BATON_HOME`, else `~/.local/state/baton`.
    /// - Throws: ``ClusterError`` with the code ``ClusterError/Code/invalid`` if a name, number or address is not allowed, or if two
    ///   types have one name.
    public init(
        coordinator: String? = nil,
        name: String? = nil,
        slots: Int? = nil,
        directory: String? = nil,
        labels: [String: String] = [:],
        resources: [String: Int] = [:],
        operations: [any ClusterOperation.Type] = [],
        home: String? = nil
    ) throws(ClusterError) {
        let environment = ProcessInfo.processInfo.environment
        let name = name.map(Name.normalized)
        self.coordinator = coordinator
        self.home = Self.absolute(home ?? StateDirectory.path(in: environment))
        let parent = self.home + "/workers"
        options = WorkerOptions(
            coordinator: KeyLookup.ofProcess(home: self.home).givenEndpoint(coordinator)
                ?? CoordinatorAccess.defaultEndpoint,
            name: name,
            slots: slots ?? AvailableProcessors().count,
            directory: directory.map(Self.absolute) ?? name.map { parent + "/" + $0 } ?? parent,
            version: ProcessInfo.processInfo.processName
        )
        options.resources.labels = labels
        options.resources.amounts = resources
        // A control group would have to be that of the whole program.
        options.resources.memoryControl = .sampling
        if let objection = options.objection { throw ClusterError(.invalid, objection) }
        for type in operations { try add(type) }
    }

    /// Registers a type of operations with the worker.
    ///
    /// - Throws: ``ClusterError`` with the code ``ClusterError/Code/invalid`` if the name of the type is not allowed, or is registered
    ///   already, or if the worker has 1024 types.
    public mutating func register<Work: ClusterOperation>(_ type: Work.Type) throws(ClusterError) {
        try add(type)
    }

    private mutating func add(_ type: any ClusterOperation.Type) throws(ClusterError) {
        do throws(WorkerError) {
            // This checks the name; the run registers the types with the logger that the program may set later.
            try options.types.register(type, cluster: Cluster.acting)
        } catch {
            throw ClusterError(error)
        }
        types.append(type)
    }

    /// Runs the worker until it is asked to stop, or has nothing more to do.
    ///
    /// The worker is asked by SIGTERM, SIGINT or SIGHUP, by the cancellation of the task, and by `baton stop`. It then takes nothing
    /// new, waits for running operations up to ``drainTimeout``, ends the rest in order, and the call returns. The call also returns
    /// after ``idleExit`` and ``timeLimit``. A worker can be run once; a copy counts as the same worker.
    ///
    /// - Parameter untilSignalled: whether the worker takes over the three signals of the process, for good; a second signal then ends
    ///   the worker at once. With false, the signals keep their effects.
    /// - Throws: ``ClusterError`` if a time or the directory cannot be used, there is no usable key, or the coordinator refuses the
    ///   worker; `invalid` if the worker has been run before.
    public func run(untilSignalled: Bool = true) async throws {
        do {
            let options = try runnable()
            guard runs.begin() else {
                throw ClusterError(
                    .invalid,
                    "This worker is running or has been run before. Make another ClusterWorker for another run."
                )
            }
            let worker = try WorkerProcess(options)
            let watcher = untilSignalled ? Self.watchSignals(for: worker) : nil
            defer { withExtendedLifetime(watcher) {} }
            try await withTaskCancellationHandler {
                try await onOwnThread(named: "worker") { () throws(WorkerError) in try worker.run() }
            } onCancel: {
                worker.stop()
            }
        } catch let error as WorkerError {
            throw ClusterError(error)
        } catch let error as KeyError {
            let cause = ClusterError.cause(of: error, in: KeyLookup.ofProcess(home: home).directory)
            let advice = ClusterError.advice(on: error, role: "worker")
            throw ClusterError(.key, error.message.followed(by: cause).followed(by: advice))
        }
    }

    /// The options with the key, and with the types as they are to run.
    private func runnable() throws -> WorkerOptions {
        let lookup = KeyLookup.ofProcess(home: home)
        let access = try lookup.access(for: [.worker], at: coordinator, isInsecure: lookup.isInsecure)
        var options = options
        options.coordinator = access.endpoint
        options.security = access.security
        // A slot uses several open files; operations run with the original limit.
        options.openFiles = .raise()
        options.types = OperationTypes()
        for type in types { try options.types.register(type, logger: logger, cluster: Cluster.acting) }
        return options
    }

    private static func watchSignals(for worker: WorkerProcess) -> SignalWatcher {
        SignalWatcher { _, count in
            if count == 1 { worker.stop() } else { worker.stopNow() }
        }
    }

    /// A path that stays the same if the program changes its working directory.
    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : URL(fileURLWithPath: path).path
    }
}

/// Something that happens once, for all copies of a value.
private final class RunOnce: Sendable {
    private let hasBegun = Mutex(false)

    /// - Returns: whether this is the first call.
    func begin() -> Bool {
        hasBegun.withLock { hasBegun in
            defer { hasBegun = true }
            return !hasBegun
        }
    }
}
