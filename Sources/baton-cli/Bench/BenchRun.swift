@_spi(Baton) import BatonBenchmarks
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The settings of a benchmark, common to all scenarios.
struct BenchSettings: Sendable {
    /// The number of operations; nil stands for the usual number of the scenario.
    var operations: Int?
    /// The work of each operation.
    var kind: Work.Kind
    /// The number of workers in the cluster, and the number of slots of each worker.
    var workers: Int
    var slots: Int
    /// The number of operations that wait during the measurement of a job, and the number of operations finished before.
    var waiting: Int
    var finished: Int
    /// Whether the times of operations are the times of receipt by a watching client.
    var watches: Bool
    /// The coordinator of a running cluster; nil stands for a new cluster.
    var coordinator: String?
}

/// One round of a scenario: a cluster, the measured work, and the figures.
struct BenchRun {
    let scenario: BenchScenario
    let settings: BenchSettings
    let seed: UInt64
    let connection: ClientConnection
    /// A second connection for concurrent requests.
    let watcher: ClientConnection
    /// The benchmark's own cluster; nil for a cluster given by the user.
    let cluster: BenchCluster?
    /// How a user calls a command for the cluster.
    let caller: BenchCaller
    /// The way to the coordinator.
    let access: CoordinatorAccess
    /// Opens a further connection.
    let connect: (CoordinatorAccess) throws -> ClientConnection
    let isQuiet: Bool

    /// The number of operations in the round.
    var operations: Int { scenario.operations(settings) }

    /// Runs a round on a new cluster, or on the cluster named in the settings.
    static func round(
        of scenario: BenchScenario,
        _ settings: BenchSettings,
        seed: UInt64,
        global: GlobalOptions,
        interruption: Interruption
    ) async throws -> Figures {
        func figures(of access: CoordinatorAccess, _ cluster: BenchCluster?) async throws -> Figures {
            let run = BenchRun(
                scenario: scenario,
                settings: settings,
                seed: seed,
                connection: try global.connect(access),
                watcher: try global.connect(access),
                cluster: cluster,
                caller: try BenchCaller(access, cluster, global),
                access: access,
                connect: { access in try global.connect(access) },
                isQuiet: global.quiet || global.json
            )
            return try await run.figures()
        }
        if let coordinator = settings.coordinator {
            let access = try global.keyLookup.clientAccess(at: coordinator, isInsecure: global.isInsecure)
            return try await figures(of: access, nil)
        }
        let cluster = try await BenchCluster(
            workers: scenario.needsWorkers ? settings.workers : 0,
            slots: settings.slots,
            isInsecure: global.isInsecure,
            hasWeb: scenario.needsWeb
        )
        interruption.beforeLeaving { cluster.stopNow() }
        let result: Figures
        do {
            result = try await figures(of: cluster.access, cluster)
        } catch {
            await cluster.stop()
            throw error
        }
        await cluster.stop()
        return result
    }

    private func figures() async throws -> Figures {
        if cluster != nil, scenario.needsWorkers { try await waitForWorkers() }
        switch scenario {
        case .array, .graph, .chain, .fan, .layers: return try await measureJob()
        case .submitArray: return try await measureArraySubmission()
        case .submitGraph: return try await measureFileSubmission()
        case .queries: return try await measureQueries()
        case .single: return try await measureSingleOperations()
        case .dispatch: return try await measureDispatch()
        case .arriveArray, .arriveGraph, .arriveDifferent, .arriveLines, .arriveHTTP: return try await measureArrival()
        case .cancel: return try await measureCancellation()
        case .restart: return try await measureRestart()
        case .idle: return try await measureIdleness()
        }
    }

    /// The benchmark's own cluster.
    ///
    /// - Throws: ``CommandFailure`` for a cluster given by the user.
    func ownCluster() throws(CommandFailure) -> BenchCluster {
        guard let cluster else {
            throw CommandFailure(
                ExitStatus.usage,
                code: "invalidValue",
                "The scenario \(scenario.rawValue) can be measured only on the benchmark's own cluster.",
                advice: "Omit --coordinator."
            )
        }
        return cluster
    }

    /// Waits until all workers of the benchmark's own cluster have joined.
    private func waitForWorkers() async throws {
        var joined: Set<String> = []
        var last: UInt64 = 0
        while joined.count < settings.workers {
            let page = try await connection.events(since: last, atMost: .seconds(30))
            last = page.last
            for line in page.lines.split(separator: UInt8(ascii: "\n")) {
                let event = try DocumentReader.exact(EventDocument.self, from: Array(line))
                if let worker = event.worker, event.event == "worker" { joined.insert(worker) }
            }
        }
    }

    /// The number of the newest event.
    func newestEvent() async throws -> UInt64 {
        try await connection.events(since: nil, atMost: .zero, timeout: GlobalOptions.answerTimeout).last
    }

    /// Waits until a job is finished, with a progress bar on a terminal.
    ///
    /// - Throws: ``CommandFailure`` if not all operations succeeded.
    func wait(for job: JobNumber) async throws {
        let display = ProgressDisplay(isWanted: !isQuiet)
        defer { display.clear() }
        let end = try await connection.wait(for: [.job(job)], every: display.interval) { display.show($0) }
        guard end.counts.isAllSuccess else {
            throw CommandFailure(
                ExitStatus.operationFailed,
                code: "failed",
                "Not all operations of the benchmark succeeded, so the figures would be meaningless: \(end.counts.summary)"
            )
        }
    }

    /// Submits a held job.
    func submitHeld(_ shape: Workload.Shape, operations: Int) async throws {
        let workload = Workload(shape, operations: operations, kind: .noOperation)
        _ = try await connection.submit(workload.submission(seed: seed, isHeld: true))
    }
}

extension BenchScenario {
    /// The number of operations in a round.
    func operations(_ settings: BenchSettings) -> Int {
        if let operations = settings.operations { return operations }
        return usualOperations(ofCommands: settings.kind != .noOperation)
    }
}

extension Duration {
    /// The duration as a number of seconds.
    var inSeconds: Double { self / .seconds(1) }

    /// The duration as a number of milliseconds.
    var inMilliseconds: Double { self / .milliseconds(1) }
}
