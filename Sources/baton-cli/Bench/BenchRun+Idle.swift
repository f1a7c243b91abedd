@_spi(Baton) import BatonBenchmarks
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonThreads

/// Measurements of a cluster with no work, or with one operation at a time.
extension BenchRun {
    /// The length of the idle period; the system counts processor time in hundredths of a second.
    private static let idleSeconds = 10

    /// Runs operations one by one, each after the client has seen the end of the previous operation.
    func measureSingleOperations() async throws -> Figures {
        // A no-op would measure nothing of the start of a process.
        let kind = settings.kind == .noOperation ? .commands([["true"]]) : settings.kind
        let workload = Workload(.chain, operations: 1, kind: kind)
        var connected: [Double] = []
        var last = try await newestEvent()
        let before = try cluster?.reading()
        for _ in 0..<operations {
            let start = Timestamp.now
            let job = try await connection.submit(workload.submission(seed: seed))
            var times = EventTimes(of: job.number, after: last, clock: .receipt)
            try await times.read(on: connection)
            last = times.last
            if let end = times.jobEnd { connected.append((end - start).inMilliseconds) }
        }
        let after = try cluster?.reading()

        var commands: [Double] = []
        let children = try caller.children()
        defer { children.shutDown() }
        for _ in 0..<operations {
            guard case .commands(let programs) = kind, let program = programs.first else { break }
            let start = ContinuousClock.now
            let exit = try await children.run(["run", "--quiet"] + caller.options + ["--"] + program)
            commands.append((ContinuousClock.now - start).inMilliseconds)
            guard exit.end == .exited(ExitStatus.success) else { throw Self.failed("run") }
        }

        var figures = Figures()
        let (connectedSample, commandSample) = (Sample(connected), Sample(commands))
        figures.add(.connectedP50Milliseconds, connectedSample.median)
        figures.add(.connectedP99Milliseconds, connectedSample.percentile(99))
        figures.add(.runP50Milliseconds, commandSample.median)
        figures.add(.runP99Milliseconds, commandSample.percentile(99))
        if let before, let after { try figures.add(after, since: before, operations: operations) }
        return figures
    }

    /// Measures the cluster during an idle period.
    func measureIdleness() async throws -> Figures {
        let cluster = try ownCluster()
        let before = try cluster.reading()
        try await pause(for: .seconds(Self.idleSeconds))
        let after = try cluster.reading()
        var figures = Figures()
        figures.add(
            .coordinatorIdleMilliseconds,
            after.coordinator.processorTime - before.coordinator.processorTime,
            per: Self.idleSeconds,
            in: .milliseconds(1)
        )
        figures.add(
            .workerIdleMilliseconds,
            try after.workerTime(since: before),
            per: Self.idleSeconds,
            in: .milliseconds(1)
        )
        figures.addMemory(after)
        return figures
    }
}
