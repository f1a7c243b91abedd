@_spi(Baton) import BatonBenchmarks
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire

/// Measurements of what users notice while the coordinator carries out a large request.
extension BenchRun {
    /// How long users are measured before the request, for each of its operations, and at most.
    private static let timeAlone = (each: Duration.microseconds(3), most: Duration.seconds(3))
    /// The fewest links of the chain, which has more for many operations, so that it lasts longer than the request.
    ///
    /// On a busy host, the first command alone takes as long as 2000 of them.
    private static let fewestLinks = 10_000
    /// The pauses between two questions, and between two commands, so that these are not a load themselves.
    private static let pauseOfLists = Duration.milliseconds(2)
    private static let pauseOfRuns = Duration.milliseconds(20)

    /// What users noticed during a period.
    private struct Observation {
        var period: ClosedRange<Timestamp>
        /// The time of the request.
        var time: Duration
        /// The answer times of `list`, and the times of `baton run`, in milliseconds.
        var lists: Sample
        var runs: Sample
        /// The chain so far.
        var chain: EventTimes

        /// The times of the chain's links in the period, in milliseconds.
        var links: Sample { Sample(linksOf: chain.starts, during: period) }
    }

    /// Measures the answers of `list`, the links of a chain and whole commands, each on a connection of its own, first alone and
    /// then during a request.
    ///
    /// - Parameters:
    ///   - request: the large request.
    ///   - figure: the figure of the request's own time, in seconds.
    func measureUsers(during request: () async throws -> Void, _ figure: Figure) async throws -> Figures {
        let cluster = try ownCluster()
        let asker = try connect(access)
        let children = try caller.children()
        defer { children.shutDown() }
        // The first question opens the connection.
        _ = try await asker.document(.status)
        let newest = try await newestEvent()
        let links = Workload(.chain, operations: max(operations * 3 / 10, Self.fewestLinks), kind: .noOperation)
        let job = try await connection.submit(links.submission(seed: seed)).number
        var chain = EventTimes(of: job, after: newest, clock: .events)
        try await chain.read(on: watcher) { $0.jobEnd == nil && $0.starts.isEmpty }

        let timeAlone = min(Self.timeAlone.each * operations, Self.timeAlone.most)
        let alone = try await observe(chain, asker, children) { try await pause(for: timeAlone) }
        cluster.forgetPeak()
        let before = try cluster.reading()
        let busy = try await observe(alone.chain, asker, children, during: request)
        let after = try cluster.reading()

        var figures = Figures()
        figures.add(figure, busy.time.inSeconds)
        figures.add(.busyListMilliseconds, busy.lists.median)
        figures.add(.busyListMostMilliseconds, busy.lists.percentile(100))
        figures.add(.listMilliseconds, alone.lists.median)
        figures.add(.listMostMilliseconds, alone.lists.percentile(100))
        let (busyLinks, linksAlone) = (busy.links, alone.links)
        figures.add(.busyLinkP50Milliseconds, busyLinks.median)
        figures.add(.busyLinkP99Milliseconds, busyLinks.percentile(99))
        figures.add(.busyLinkMostMilliseconds, busyLinks.percentile(100))
        figures.add(.linkP50Milliseconds, linksAlone.median)
        figures.add(.linkP99Milliseconds, linksAlone.percentile(99))
        figures.add(.linkMostMilliseconds, linksAlone.percentile(100))
        figures.add(.busyRunP50Milliseconds, busy.runs.median)
        figures.add(.busyRunMostMilliseconds, busy.runs.percentile(100))
        figures.add(.runP50Milliseconds, alone.runs.median)
        figures.add(.runMostMilliseconds, alone.runs.percentile(100))
        figures.addGrowth(after, since: before, operations: operations)
        figures.addMemory(after)
        return figures
    }

    /// Measures users for as long as a request takes.
    private func observe(
        _ chain: EventTimes,
        _ asker: ClientConnection,
        _ children: ChildProcesses,
        during request: () async throws -> Void
    ) async throws -> Observation {
        let end = LoadEnd()
        let (watcher, options) = (watcher, caller.options)
        let start = Timestamp.now
        async let lists = Self.times(until: end, every: Self.pauseOfLists) {
            _ = try await asker.document(.jobs(before: nil, limit: 20))
        }
        async let runs = Self.times(until: end, every: Self.pauseOfRuns) {
            let exit = try await children.run(["run", "--quiet"] + options + ["--", "true"])
            guard exit.end == .exited(ExitStatus.success) else { throw Self.failed("run") }
        }
        async let read = Self.read(chain, on: watcher, until: end)
        let began = ContinuousClock.now
        try await request()
        let time = ContinuousClock.now - began
        let period = start...max(start, end.note())
        return Observation(
            period: period,
            time: time,
            lists: Sample(try await lists),
            runs: Sample(try await runs),
            chain: try await read
        )
    }

    /// Does something again and again until the end of a load, at least once, and returns the times in milliseconds.
    ///
    /// What has begun before the end is part of the times, so that the longest one is not lost.
    private static func times(
        until end: LoadEnd,
        every interval: Duration,
        _ action: @Sendable () async throws -> Void
    ) async throws -> [Double] {
        var times: [Double] = []
        repeat {
            let start = ContinuousClock.now
            try await action()
            times.append((ContinuousClock.now - start).inMilliseconds)
            try await pause(for: interval)
        } while end.moment == nil
        return times
    }

    /// Reads the events of a chain until a link has started after the end of a load, or the chain is finished.
    private static func read(
        _ chain: EventTimes,
        on connection: ClientConnection,
        until end: LoadEnd
    ) async throws -> EventTimes {
        var chain = chain
        try await chain.read(on: connection) { chain in
            if chain.jobEnd != nil { return false }
            guard let end = end.moment, let last = chain.starts.last else { return true }
            return last <= end
        }
        return chain
    }
}
