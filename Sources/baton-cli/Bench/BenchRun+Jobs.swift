import BatonBenchmarks
import BatonClient
import BatonOperations
import BatonWire

/// How fast a job runs.
extension BenchRun {
    /// Submits a job of the scenario's form, and waits for its end.
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

    /// The times from each start of a chain's link to the next, in milliseconds.
    static func links(_ starts: [Timestamp]) -> Sample {
        Sample(zip(starts.dropFirst(), starts).map { ($0 - $1).inMilliseconds })
    }

    /// Brings the cluster into the state in which the job is measured.
    private func prepare() async throws {
        if settings.finished > 0 {
            let workload = Workload(.array, operations: settings.finished, kind: .noOperation)
            try await wait(for: connection.submit(workload.submission(seed: seed)).number)
        }
        if settings.waiting > 0 { try await submitHeld(.graph, operations: settings.waiting) }
        // The record may be tidying up after that: it keeps this one's end behind it.
        let last = Workload(.array, operations: 1, kind: .noOperation)
        try await wait(for: connection.submit(last.submission(seed: seed)).number)
    }
}
