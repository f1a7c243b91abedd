@_spi(Baton) import BatonChaosChecks
import Foundation
@_spi(Baton) import BatonNetworkFaults
@_spi(Baton) import BatonOperations

/// One whole run: starts all processes, lets them work under faults, and collects the evidence.
final class ChaosRun: Sendable {
    /// The parameters of a run.
    struct Settings: Sendable {
        var kills: Int
        var operations: Int
        var workers: Int
        var slots: Int
        var seed: UInt64
        /// The directory of all files.
        var directory: String
        /// The program `baton`.
        var program: String
    }

    /// The number of clients that submit jobs one after the other, and wait for each job.
    private static let clientCount = 6
    /// A run without any progress for this time never progresses again.
    private static let patience = Duration.seconds(90)
    private static let longestJob = 500

    private let settings: Settings
    private let programs: Programs
    private let journal: JournalFile
    private let ledger = Ledger()
    private let clients: Clients
    private let coordinator: Node
    private let address: String
    private let workers: [Node]

    /// Makes the directory, and starts no process yet.
    init(_ settings: Settings) throws {
        self.settings = settings
        let directory = settings.directory
        for part in ["logs", "graphs"] {
            try FileManager.default.createDirectory(atPath: "\(directory)/\(part)", withIntermediateDirectories: true)
        }
        programs = try Programs(program: settings.program, directory: directory)
        journal = try JournalFile(path: "\(directory)/journal")
        let script = "\(directory)/operation"
        try GraphMaker.script(journal: journal.path).write(toFile: script, atomically: true, encoding: .utf8)
        var anywhere = SystemRandomNumberGenerator()
        let port = try Sockets.freePort(using: &anywhere)
        let address = "tcp://127.0.0.1:\(port)"
        self.address = address
        clients = Clients(programs: programs, journal: journal, ledger: ledger, coordinator: address, script: script)
        coordinator = Node(
            name: "coordinator",
            arguments: ["coordinator", "--listen", address],
            programs: programs,
            journal: journal
        )
        var workers: [Node] = []
        for number in 1...settings.workers {
            // Every second worker can be cut off.
            let relay =
                number % 2 == 0 ? try Relay(target: port, using: &anywhere) : nil
            let dialled = relay.map { "tcp://127.0.0.1:\($0.port)" } ?? address
            workers.append(
                Node(
                    name: "w\(number)",
                    arguments: [
                        "worker", "--name", "w\(number)", "--slots", "\(settings.slots)", "--coordinator", dialled,
                        "--memory-control", "sampling",
                    ],
                    relay: relay,
                    programs: programs,
                    journal: journal
                )
            )
        }
        self.workers = workers
    }

    /// Carries out the run, and returns once all processes are gone.
    func carryOut() async throws -> ChaosResult {
        // Otherwise the coordinator makes the keys at its first start, and a worker may look for them before.
        _ = await programs.start(
            ["authorize", "--role", "viewer", "--address", address, "spectator"],
            name: "keys"
        ).end()
        let start = ContinuousClock.now
        await coordinator.start()
        for worker in workers { await worker.start() }
        let observer = Task { await observe(since: start) }
        let harm = Task {
            var random = SplitMix(seed: settings.seed)
            try await Harm(
                coordinator: coordinator,
                workers: workers,
                clients: clients,
                ledger: ledger,
                journal: journal,
                kills: settings.kills,
                expectedLength: settings.operations * Self.bytesOfOperation
            ).carryOut(using: &random)
        }
        try await submitAll()
        let duration = ContinuousClock.now - start
        harm.cancel()
        try await harm.value
        for worker in workers { worker.relay?.mode = .forwarding }
        var evidence = Evidence()
        evidence.jobs = try await clients.jobs()
        observer.cancel()
        await observer.value
        for node in workers + [coordinator] { await node.end() }
        // Look for leftover processes before the supervisor would kill them.
        let left = LeftProcesses.all(of: settings.directory)
        programs.shutDown()

        evidence.submitted = await ledger.submitted
        evidence.askedToCancel = await ledger.askedToCancel
        evidence.limits = GraphMaker.limits
        evidence.slots = settings.slots
        evidence.journal = Journal(text: try journal.text())
        evidence.incidents = await ledger.incidents
        var restarts = 0
        for node in workers + [coordinator] {
            evidence.incidents += await node.incidents
            restarts += await node.restarts
        }
        evidence.incidents += left.map { "The process \($0) is left behind." }
        return ChaosResult(evidence: evidence, counts: await ledger.counts, restarts: restarts, duration: duration)
    }

    /// The approximate size of an operation's lines in the journal.
    private static let bytesOfOperation = 48

    private func submitAll() async throws {
        let length = min(Self.longestJob, max(1, settings.operations / 4))
        let total = settings.operations
        try await withThrowingTaskGroup { group in
            for _ in 0..<Self.clientCount {
                group.addTask { [settings, clients, ledger] in
                    while true {
                        let number = await ledger.takeJob()
                        let first = number * length
                        guard first < total else { return }
                        // Each job has its own random numbers, so that the order of jobs among clients does not matter.
                        var random = SplitMix(seed: settings.seed &+ UInt64(number + 1) << 32)
                        let plan = GraphMaker.job(
                            named: "chaos-\(number + 1)",
                            operations: min(length, total - first),
                            using: &random
                        )
                        try await clients.carryOut(plan, using: &random)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Shows the progress of the run, and gives up without progress.
    private func observe(since start: ContinuousClock.Instant) async {
        let display = ProgressLine()
        var length = 0
        var lastChange = ContinuousClock.now
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(250))
            let now = ContinuousClock.now
            if journal.length != length {
                length = journal.length
                lastChange = now
            } else if now - lastChange > Self.patience, await !ledger.isGivenUp {
                let jobs = await ledger.open.keys.sorted().map(String.init).joined(separator: ", ")
                await ledger.giveUp("For \(Self.patience) nothing happened, and these jobs are not over: \(jobs).")
            }
            let counts = await ledger.counts
            display.show(
                done: await ledger.finished,
                total: settings.operations,
                kills: counts.kills,
                of: settings.kills,
                elapsed: now - start
            )
        }
        display.clear()
    }
}
