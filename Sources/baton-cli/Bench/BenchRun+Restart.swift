@_spi(Baton) import BatonBenchmarks
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The measurement of a coordinator that is started again.
extension BenchRun {
    /// Kills the coordinator while many operations wait, and measures the way of the next one to its first answer.
    func measureRestart() async throws -> Figures {
        let cluster = try ownCluster()
        try await submitHeld(.graph, operations: operations)
        let before = try cluster.reading()
        // They would report that the coordinator is gone.
        connection.close()
        watcher.close()
        let (access, start) = try await cluster.restartCoordinator()
        _ = try await connect(access).document(.jobs(before: nil, limit: 20), timeout: GlobalOptions.answerTimeout)
        let time = ContinuousClock.now - start

        var figures = Figures()
        figures.add(.restartSeconds, time.inSeconds)
        figures.addMemoryBeforeRestart(before)
        figures.addMemory(try cluster.reading())
        return figures
    }
}
