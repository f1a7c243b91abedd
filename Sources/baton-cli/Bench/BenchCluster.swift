@_spi(Baton) import BatonBenchmarks
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A cluster for one benchmark: each part is a separate process as in production, with its state in a new directory.
final class BenchCluster: Sendable {
    /// The home of the cluster.
    let directory: TemporaryDirectory
    /// The coordinator, with the key of the cluster's own directory.
    let access: CoordinatorAccess
    private let children: ChildProcesses
    private let coordinator: Mutex<ChildProcesses.Running>
    private let workers: LocalWorkers?
    private let isInsecure: Bool

    /// Starts the cluster.
    ///
    /// - Parameters:
    ///   - count: the number of workers, 0 or more; the workers may join later.
    ///   - slots: the number of slots of each worker.
    ///   - isInsecure: whether the cluster has no keys.
    ///   - hasWeb: whether the coordinator has a web interface.
    init(workers count: Int, slots: Int, isInsecure: Bool, hasWeb: Bool) async throws {
        let directory = try TemporaryDirectory()
        let children = try ChildProcesses(.withoutKeys)
        let started: (process: ChildProcesses.Running, endpoint: String)
        do {
            started = try await Self.startCoordinator(
                children,
                home: directory.path,
                isInsecure: isInsecure,
                hasWeb: hasWeb
            )
            access = try directory.access(to: started.endpoint, isInsecure: isInsecure)
            workers =
                count == 0
                ? nil
                : try LocalWorkers(
                    count: count,
                    slots: slots,
                    resources: .withoutControlGroups,
                    coordinator: started.endpoint,
                    home: directory.path,
                    isInsecure: isInsecure,
                    logger: Logger(label: "bench", level: .warning)
                )
        } catch {
            children.shutDown()
            directory.remove()
            throw error
        }
        coordinator = Mutex(started.process)
        self.directory = directory
        self.children = children
        self.isInsecure = isInsecure
        workers?.start()
    }

    /// Starts a coordinator at a free address, and returns once it listens.
    private static func startCoordinator(
        _ children: ChildProcesses,
        home: String,
        isInsecure: Bool,
        hasWeb: Bool
    ) async throws -> (process: ChildProcesses.Running, endpoint: String) {
        let log = try CoordinatorLog()
        let process = try await children.start(
            ["coordinator", "--listen", "tcp://127.0.0.1:*", "--http", hasWeb ? "127.0.0.1:0" : "off", "--home", home]
                + (isInsecure ? ["--insecure"] : []),
            standardError: .descriptor(log.writer)
        )
        log.closeWriter()
        return (process, try await log.address())
    }

    /// Kills the coordinator of a cluster without workers, and starts a new coordinator on the same record.
    ///
    /// The new coordinator has an address of its own: a socket that still tries the old address may have taken the port.
    ///
    /// - Returns: the way to the new coordinator, which listens, and when its start began.
    func restartCoordinator() async throws -> (access: CoordinatorAccess, start: ContinuousClock.Instant) {
        let killed = coordinator.withLock { $0 }
        kill(killed.process, SIGKILL)
        _ = try? await killed.end.value
        let start = ContinuousClock.now
        let started = try await Self.startCoordinator(
            children,
            home: directory.path,
            isInsecure: isInsecure,
            hasWeb: false
        )
        coordinator.withLock { $0 = started.process }
        return (try directory.access(to: started.endpoint, isInsecure: isInsecure), start)
    }

    /// Makes the peak of the coordinator's memory begin anew, where the system can do that.
    func forgetPeak() {
        let file = open("/proc/\(coordinator.withLock { $0.process })/clear_refs", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        try? Output.write(Array("5".utf8), to: file)
    }

    /// The resources used by the processes until now.
    ///
    /// - Throws: ``CommandFailure`` if a process has ended.
    func reading() throws(CommandFailure) -> ClusterReading {
        let process = coordinator.withLock { $0.process }
        var reading = ClusterReading(coordinator: try Self.reading(of: process), workers: [:])
        for process in workers?.processes ?? [] { reading.workers[process] = try Self.reading(of: process) }
        return reading
    }

    /// Ends all processes, and removes the directory.
    func stop() async {
        await workers?.stop()
        children.terminate(grace: LocalWorkers.gracePeriod)
        _ = try? await coordinator.withLock { $0.end }.value
        children.shutDown()
        directory.remove()
    }

    /// Ends the cluster at once, for a process about to exit.
    func stopNow() {
        workers?.stopNow()
        children.shutDown()
        directory.remove()
    }

    private static func reading(of process: Int32) throws(CommandFailure) -> ProcessReading {
        guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let reading = ProcessReading(stat: stat, status: status, ticksPerSecond: sysconf(Int32(_SC_CLK_TCK)))
        else {
            throw CommandFailure(
                ExitStatus.fault,
                code: "process",
                "The resources of process \(process) of the benchmark's cluster cannot be read: the process has ended, or this "
                    + "system has no /proc.",
                advice: "To measure without them, name a running cluster with --coordinator."
            )
        }
        return reading
    }
}
