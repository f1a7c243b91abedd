@_spi(Baton) import BatonBenchmarks
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

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
    private let coordinator: ChildProcesses.Running
    private let workers: LocalWorkers?

    /// Starts the cluster.
    ///
    /// - Parameters:
    ///   - count: the number of workers, 0 or more; the workers may join later.
    ///   - slots: the number of slots of each worker.
    ///   - isInsecure: whether the cluster has no keys.
    init(workers count: Int, slots: Int, isInsecure: Bool) async throws {
        let directory = try TemporaryDirectory()
        let children = try ChildProcesses(.withoutKeys)
        do {
            let log = try CoordinatorLog()
            coordinator = try await children.start(
                ["coordinator", "--listen", "tcp://127.0.0.1:*", "--http", "off", "--home", directory.path]
                    + (isInsecure ? ["--insecure"] : []),
                standardError: .descriptor(log.writer)
            )
            log.closeWriter()
            let endpoint = try await log.address()
            access = try directory.access(to: endpoint, isInsecure: isInsecure)
            workers =
                count == 0
                ? nil
                : try LocalWorkers(
                    count: count,
                    slots: slots,
                    resources: .withoutControlGroups,
                    coordinator: endpoint,
                    home: directory.path,
                    isInsecure: isInsecure,
                    logger: Logger(label: "bench", level: .warning)
                )
        } catch {
            children.shutDown()
            directory.remove()
            throw error
        }
        self.directory = directory
        self.children = children
        workers?.start()
    }

    /// The resources used by the processes until now.
    ///
    /// - Throws: ``CommandFailure`` if a process has ended.
    func reading() throws(CommandFailure) -> ClusterReading {
        var reading = ClusterReading(coordinator: try Self.reading(of: coordinator.process), workers: [:])
        for process in workers?.processes ?? [] { reading.workers[process] = try Self.reading(of: process) }
        return reading
    }

    /// Ends all processes, and removes the directory.
    func stop() async {
        await workers?.stop()
        children.terminate(grace: LocalWorkers.gracePeriod)
        _ = try? await coordinator.end.value
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
