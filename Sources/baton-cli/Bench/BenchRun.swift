import BatonBenchmarks
import BatonClient
import BatonDocuments
import BatonOperations
import BatonWire

/// What a benchmark is asked for, whichever scenario it runs.
struct BenchSettings: Sendable {
    /// How many operations; nil for what is usual of the scenario.
    var operations: Int?
    /// What each operation does.
    var kind: Work.Kind
    /// How many workers the cluster has, and how many slots each of them.
    var workers: Int
    var slots: Int
    /// How many operations wait while a job is measured, and how many have been finished before.
    var waiting: Int
    var finished: Int
    /// Whether the times of operations are those at which a client sees them, that watches meanwhile.
    var watches: Bool
    /// A running cluster's coordinator; nil for a cluster of its own.
    var coordinator: String?
}

/// One round of a scenario: a cluster, the work that is measured, and the figures.
struct BenchRun {
    let scenario: BenchScenario
    let settings: BenchSettings
    let seed: UInt64
    let connection: ClientConnection
    /// Another connection, for what happens at the same time.
    let watcher: ClientConnection
    /// The cluster, where it is the benchmark's own.
    let cluster: BenchCluster?
    let isQuiet: Bool

    /// How many operations the round takes.
    var operations: Int { scenario.operations(settings) }

    /// Runs a round on a cluster of its own, or on the one that is named.
    static func round(
        of scenario: BenchScenario,
        _ settings: BenchSettings,
        seed: UInt64,
        global: GlobalOptions,
        interruption: Interruption
    ) async throws -> Figures {
        func figures(at endpoint: String, _ cluster: BenchCluster?) async throws -> Figures {
            let run = BenchRun(
                scenario: scenario,
                settings: settings,
                seed: seed,
                connection: try global.connect(to: endpoint),
                watcher: try global.connect(to: endpoint),
                cluster: cluster,
                isQuiet: global.quiet || global.json
            )
            return try await run.figures()
        }
        if let coordinator = settings.coordinator { return try await figures(at: coordinator, nil) }
        let cluster = try await BenchCluster(
            workers: scenario.needsWorkers ? settings.workers : 0,
            slots: settings.slots
        )
        interruption.beforeLeaving { cluster.stopNow() }
        let result: Figures
        do {
            result = try await figures(at: cluster.endpoint, cluster)
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
        case .idle: return try await measureIdleness()
        }
    }

    /// Waits until all workers of the benchmark's own cluster have joined.
    private func waitForWorkers() async throws {
        var joined: Set<String> = []
        var last: UInt64 = 0
        while joined.count < settings.workers {
            let page = try await connection.events(since: last, atMost: .seconds(30))
            last = page.last
            for line in page.lines.split(separator: UInt8(ascii: "\n")) {
                let event = try DocumentReader.read(EventDocument.self, from: Array(line))
                if let worker = event.worker, event.event == "worker" { joined.insert(worker) }
            }
        }
    }

    /// The number of the newest event.
    func newestEvent() async throws -> UInt64 {
        try await connection.events(since: nil, atMost: .zero, timeout: GlobalOptions.answerTimeout).last
    }

    /// Waits for a job to its end, with a bar on a terminal.
    ///
    /// - Throws: ``CommandFailure`` where not all of it succeeded.
    func wait(for job: JobNumber) async throws {
        let display = ProgressDisplay(isWanted: !isQuiet)
        defer { display.clear() }
        let end = try await connection.wait(for: [.job(job)], every: display.interval) { display.show($0.counts) }
        guard end.counts.isAllSuccess else {
            throw CommandFailure(
                ExitStatus.operationFailed,
                code: "failed",
                "Not all operations of the benchmark succeeded, so the figures would say nothing: \(end.counts.summary)"
            )
        }
    }

    /// Submits a job of which nothing may start.
    func submitHeld(_ shape: Workload.Shape, operations: Int) async throws {
        let workload = Workload(shape, operations: operations, kind: .noOperation)
        _ = try await connection.submit(workload.submission(seed: seed, isHeld: true))
    }
}

extension BenchScenario {
    /// How many operations a round takes.
    func operations(_ settings: BenchSettings) -> Int {
        if let operations = settings.operations { return operations }
        return usualOperations(ofCommands: settings.kind != .noOperation)
    }
}

extension Duration {
    /// As a number of seconds.
    var inSeconds: Double { self / .seconds(1) }

    /// As a number of milliseconds.
    var inMilliseconds: Double { self / .milliseconds(1) }
}
