@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
import Synchronization
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A worker: connects to the coordinator, runs dispatched attempts in its slots, and reports their ends.
///
/// The worker goes on while the coordinator is away, and keeps each result until the coordinator has acknowledged it.
@_spi(Baton) public final class WorkerProcess: Sendable {
    /// The worker's name, given or made up.
    public let name: String
    private let options: WorkerOptions
    private let directory: WorkerDirectory
    private let archive: OutputArchive
    /// The files that the worker keeps.
    let store: FileStore
    private let groups: GroupFile
    private let budget: DescriptorBudget
    private let mailbox: PolledMailbox<WorkerLetter>

    /// Takes the worker's directory, cleans up the files of an earlier life, and ends its remaining processes.
    ///
    /// - Throws: ``WorkerError`` if the coordinator's address, the name or a number cannot be used, the directory cannot be created,
    ///   written or locked, or the system has no descriptor left.
    /// - Complexity: O(n log n) for n kept outputs.
    public init(_ options: WorkerOptions) throws(WorkerError) {
        if let objection = options.objection { throw WorkerError(.invalid, objection) }
        directory =
            options.name == nil
            ? try .unnamed(in: options.directory, host: WorkerLoop.hostName) : try WorkerDirectory(options.directory)
        name = options.name ?? directory.name
        var options = options
        options.logger[metadataKey: "worker"] = "\(name)"
        self.options = options
        budget = DescriptorBudget(slots: options.slots)
        let atOnce = budget.slots + budget.hooks
        // A keeper starts no process.
        if options.keeper == nil { Self.tell(of: budget, options) }
        archive = OutputArchive(
            directory: directory.outputs,
            limits: .init(
                streamBytes: options.outputLimit,
                pooledFiles: 2 * atOnce,
                leftFiles: min(OutputArchive.Limits().leftFiles, budget.spare)
            )
        )
        do {
            mailbox = try PolledMailbox()
        } catch {
            throw WorkerError(.system, error.description)
        }
        do {
            store = try FileStore(
                directory: directory.files,
                limit: options.filesLimit ?? directory.fifthOfDisk,
                isDurable: options.keeper != nil
            ) { [mailbox, keeper = options.keeper] held, dropped in
                mailbox.post(.filesChanged(held: held, dropped: dropped))
                keeper?.onChange(held, dropped)
            } onLoss: { [mailbox] digest, isDamaged in
                mailbox.post(.fileLost(digest, isDamaged: isDamaged))
            }
        } catch {
            throw WorkerError(
                .directory,
                "The worker cannot read the files that it keeps. \(error) Make its directory readable.",
                mayPass: SystemObstacle.mayPass(error.code)
            )
        }
        do {
            groups = try GroupFile(path: directory.groups)
        } catch {
            throw WorkerError(
                .directory,
                "The worker cannot record its attempts: \(error). Make its directory writable.",
                mayPass: SystemObstacle.mayPass(error.code)
            )
        }
        endLeftovers()
    }

    /// Tells the log of descriptors that do not suffice.
    private static func tell(of budget: DescriptorBudget, _ options: WorkerOptions) {
        if !budget.suffices {
            options.logger.warning(
                "the limit of open files is too low for an operation and a completion hook at once; raise it (ulimit -n)",
                metadata: ["limit": "\(DescriptorBudget.limit)"]
            )
        } else if budget.slots < options.slots {
            options.logger.warning(
                "the limit of open files is too low for all slots; raise it (ulimit -n)",
                metadata: [
                    "slots": "\(budget.slots) of \(options.slots)", "limit": "\(DescriptorBudget.limit)",
                ]
            )
        }
    }

    /// Ends processes that a killed earlier life left behind, before the coordinator can send their attempts again.
    private func endLeftovers() {
        let leftovers = groups.leftovers(markedBy: directory.mark)
        if !leftovers.isEmpty {
            options.logger.warning(
                "ending processes that an earlier run of this worker has left",
                metadata: ["groups": "\(leftovers.map(String.init).joined(separator: " "))"]
            )
        }
        groups.end(leftovers)
        directory.removeWorkspaces()
    }

    /// Makes the control group for limits of memory, and removes that of a killed earlier life.
    ///
    /// - Returns: nil if the worker shall not use control groups, or the kernel does not let it.
    /// - Throws: ``WorkerError`` if the worker shall use control groups, and the kernel does not let it.
    private func makeMemoryGroups() throws(WorkerError) -> MemoryGroups? {
        if let earlier = MemoryGroupMark.group(at: directory.memoryGroup) {
            MemoryGroups.removeLeftovers(of: earlier)
        }
        guard options.resources.memoryControl != .sampling else { return nil }
        if let groups = MemoryGroups.make(named: MemoryGroupMark.namePrefix + "\(directory.identity.id)") {
            MemoryGroupMark.set(groups.directory, at: directory.memoryGroup)
            return groups
        }
        guard options.resources.memoryControl == nil else {
            throw WorkerError(
                .controlGroup,
                "The kernel does not let the worker limit memory by control groups."
            )
        }
        return nil
    }

    /// Works until stopped, or refused by the coordinator; afterwards no process of the worker is left.
    ///
    /// The calling thread becomes the owner of the socket and starts the processes; the kernel would kill the
    /// processes if the thread ended first. Call `run()` once.
    ///
    /// - Throws: ``WorkerError`` if the coordinator refuses this worker, or the system has no room for a thread or a socket.
    public func run() throws(WorkerError) {
        let memoryGroups = try makeMemoryGroups()
        let processes: SupervisedProcesses
        do {
            processes = try SupervisedProcesses(
                openFiles: options.openFiles,
                groupFile: groups,
                memoryGroups: memoryGroups,
                startsAll: options.startsAllProcesses
            )
        } catch {
            throw WorkerError(.system, "The worker cannot start: \(error).")
        }
        let environment: ProcessEnvironment
        do {
            environment = try .forAttempts(
                with: options.resources.environment,
                isClean: options.resources.hasCleanEnvironment,
                isInsecure: options.security == .none
            )
        } catch {
            throw WorkerError(.invalid, error.sentence)
        }
        let services: AttemptServices
        do {
            services = try AttemptServices(
                directory: directory,
                archive: archive,
                store: store,
                environment: environment,
                coordinator: options.coordinator,
                unitVariables: options.resources.variables,
                mailbox: mailbox
            )
        } catch {
            throw WorkerError(.system, "The worker cannot start: \(error).")
        }
        defer {
            // Queued file work still writes to the directory.
            services.finish()
            archive.removePooledFiles()
            directory.unlock()
        }
        let transfers = try FileThread(
            store: store,
            to: options.coordinator,
            security: options.security,
            resolver: options.resolver,
            patience: options.patience.connection,
            mailbox: mailbox,
            logger: options.logger
        )
        defer { transfers.stop() }
        if let endpoint = options.data.flatMap({ DataEndpoint($0) }) {
            let address = try transfers.listen(at: endpoint)
            options.logger.notice("gives other workers files directly", metadata: ["at": "\(address.endpoint)"])
        }
        let context: Context
        do {
            context = try Context()
        } catch {
            throw WorkerError(.system, error.description)
        }
        let loop = WorkerLoop(
            options,
            name: name,
            budget: budget,
            offer: options.keeper == nil
                ? options.resources.offer(memoryGroups == nil ? .sampling : .cgroup) : WorkerOffer(),
            services: services,
            transfers: transfers,
            processes: processes,
            mailbox: mailbox,
            context: context
        )
        try loop.run()
    }

    /// Stops the worker gracefully, from any thread: it takes nothing new, waits for what runs for the drain timeout,
    /// ends the rest with its grace periods, and reports the ends.
    ///
    /// A second call changes nothing; see ``stopNow()``.
    public func stop() {
        mailbox.post(.stop)
    }

    /// Stops the worker once what runs has ended by itself, from any thread: it takes nothing new, and waits without a limit.
    ///
    /// A later ``stop()`` gives it the drain timeout.
    public func finish() {
        mailbox.post(.finish)
    }

    /// Stops the worker at once, from any thread: attempts are killed, and their results dropped.
    public func stopNow() {
        mailbox.post(.stopNow)
    }
}
