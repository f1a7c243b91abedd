@_spi(Baton) import BatonBenchmarks
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Measurements of the speed of a job.
extension BenchRun {
    /// Submits a job in the shape of the scenario, and waits for its end.
    func measureJob() async throws -> Figures {
        guard let shape = scenario.shape else { return Figures() }
        try await prepare()
        let workload = Workload(shape, operations: operations, kind: settings.kind)
        let submission = workload.submission(seed: seed)
        let newest = try await newestEvent()
        let before = try cluster?.reading()
        let (start, startTime) = (ContinuousClock.now, Timestamp.now)
        let job = try await connection.submit(submission)
        let answered = ContinuousClock.now
        var times = EventTimes(
            of: job.number,
            after: newest,
            clock: settings.watches ? .receipt : .events,
        )
        if settings.watches { try await times.read(on: watcher) }
        try await wait(for: job.number)
        let end = ContinuousClock.now
        let after = try cluster?.reading()
        if !settings.watches { try await times.read(on: watcher) }

        var figures = Figures()
        figures.add(.operationsPerSecond, Double(operations) / (end - start).inSeconds)
        figures.add(.submitSeconds, (answered - start).inSeconds)
        if shape == .chain {
            figures.add(.linkMilliseconds, (end - start).inMilliseconds / Double(operations))
            let links = Self.links(times.starts)
            figures.add(.linkP50Milliseconds, links.median)
            figures.add(.linkP99Milliseconds, links.percentile(99))
            figures.add(.linkMostMilliseconds, links.percentile(100))
        } else {
            let starts = Sample(times.starts.map { ($0 - startTime).inMilliseconds })
            figures.add(.startedP50Milliseconds, starts.median)
            figures.add(.startedP99Milliseconds, starts.percentile(99))
            let ends = Sample(times.ends.map { ($0 - startTime).inMilliseconds })
            figures.add(.finishedP50Milliseconds, ends.median)
            figures.add(.finishedP99Milliseconds, ends.percentile(99))
        }
        if let before, let after { try figures.add(after, since: before, operations: operations) }
        return figures
    }

    /// The times between the starts of consecutive links of a chain, in milliseconds.
    static func links(_ starts: [Timestamp]) -> Sample {
        Sample(zip(starts.dropFirst(), starts).map { ($0 - $1).inMilliseconds })
    }

    /// Brings the cluster into the state required for the measurement of the job.
    private func prepare() async throws {
        if settings.finished > 0 {
            let workload = Workload(.array, operations: settings.finished, kind: .noOperation)
            try await wait(for: connection.submit(workload.submission(seed: seed)).number)
        }
        if settings.waiting > 0 { try await submitHeld(.graph, operations: settings.waiting) }
        // The record may still be busy with clean-up after the jobs above; the end of one more operation is recorded after the
        // clean-up.
        let last = Workload(.array, operations: 1, kind: .noOperation)
        try await wait(for: connection.submit(last.submission(seed: seed)).number)
    }
}
