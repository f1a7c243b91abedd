@_spi(Baton) import BatonBenchmarks
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonWire

/// Measurements of large submissions, and of queries and dispatch among many operations.
extension BenchRun {
    /// The number of repetitions of each query.
    private static let questions = 30

    /// Submits an array through a connection.
    func measureArraySubmission() async throws -> Figures {
        let submission = Workload(.array, operations: operations, kind: settings.kind).submission(seed: seed)
        _ = try await newestEvent()
        let before = try cluster?.reading()
        let start = ContinuousClock.now
        _ = try await connection.submit(submission)
        return try submissionFigures(took: .now - start, since: before)
    }

    /// Submits a graph from a file with one operation per line, like a user.
    func measureFileSubmission() async throws -> Figures {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = directory.path + "/graph.jsonl"
        try GraphLines.write(
            Workload(.graph, operations: operations, kind: settings.kind).submission(seed: seed),
            to: file
        )
        let children = try caller.children()
        defer { children.shutDown() }
        _ = try await newestEvent()
        let before = try cluster?.reading()
        let start = ContinuousClock.now
        let exit = try await children.run(["submit", "--file", file] + caller.options)
        let time = ContinuousClock.now - start
        guard exit.end == .exited(ExitStatus.success) else { throw Self.failed("submit") }
        return try submissionFigures(took: time, since: before)
    }

    private func submissionFigures(took time: Duration, since before: ClusterReading?) throws -> Figures {
        var figures = Figures()
        figures.add(.submitSeconds, time.inSeconds)
        guard let before, let after = try cluster?.reading() else { return figures }
        figures.addGrowth(after, since: before, operations: operations)
        try figures.add(after, since: before, operations: operations)
        return figures
    }

    /// Sends typical queries of users while many operations wait.
    func measureQueries() async throws -> Figures {
        let workload = Workload(.graph, operations: operations, kind: .noOperation)
        let job = try await connection.submit(workload.submission(seed: seed, isHeld: true)).number
        var random = SplitMix(seed: seed)
        var figures = Figures()
        func ask(_ median: Figure, _ most: Figure, _ question: () -> DocumentRequest) async throws {
            var times: [Double] = []
            for _ in 0..<Self.questions {
                let start = ContinuousClock.now
                _ = try await connection.document(question(), timeout: GlobalOptions.answerTimeout)
                times.append((ContinuousClock.now - start).inMilliseconds)
            }
            let sample = Sample(times)
            figures.add(median, sample.median)
            figures.add(most, sample.percentile(100))
        }
        try await ask(.statusMilliseconds, .statusMostMilliseconds) { .status }
        try await ask(.showMilliseconds, .showMostMilliseconds) {
            let index = UInt32.random(in: 0..<UInt32(operations), using: &random)
            return .operation(.operation(OperationID(job: job, index: index)))
        }
        try await ask(.listMilliseconds, .listMostMilliseconds) { .jobs(before: nil, limit: 20) }
        try await cancel(job)
        return figures
    }

    /// Compares the speed of a chain of no-ops alone, and during the submission of many operations.
    func measureDispatch() async throws -> Figures {
        let submission = Workload(.graph, operations: operations, kind: .noOperation).submission(
            seed: seed,
            isHeld: true
        )
        let newest = try await newestEvent()
        let chain = Workload(.chain, operations: max(operations / 4, Self.linksAlone * 2), kind: .noOperation)
        let job = try await connection.submit(chain.submission(seed: seed)).number
        var times = EventTimes(of: job, after: newest, clock: .events)
        try await times.read(on: watcher) { $0.starts.count < Self.linksAlone }
        let start = Timestamp.now
        let large = try await connection.submit(submission).number
        let end = Timestamp.now
        try await cancel(large)
        try await cancel(job)
        try await times.readAll(on: watcher)

        var figures = Figures()
        figures.add(.submitSeconds, (end - start).inSeconds)
        let alone = Self.links(times.starts.filter { $0 < start })
        figures.add(.linkP50Milliseconds, alone.median)
        figures.add(.linkP99Milliseconds, alone.percentile(99))
        figures.add(.linkMostMilliseconds, alone.percentile(100))
        let busy = Self.links(times.starts.filter { $0 >= start && $0 <= end })
        figures.add(.busyLinkP50Milliseconds, busy.median)
        figures.add(.busyLinkP99Milliseconds, busy.percentile(99))
        figures.add(.busyLinkMostMilliseconds, busy.percentile(100))
        return figures
    }

    /// The number of links of a chain to measure before the large submission begins.
    private static let linksAlone = 2000

    /// Cancels a job on a cluster given by the user; the benchmark's own cluster is removed as a whole.
    private func cancel(_ job: JobNumber) async throws {
        if cluster == nil { _ = try await connection.change(.cancel([.job(job)], queue: nil)) }
    }

    static func failed(_ command: String) -> CommandFailure {
        CommandFailure(
            ExitStatus.fault,
            code: "command",
            "\"baton \(command)\" failed during the measurement; the reason is on standard error."
        )
    }
}
