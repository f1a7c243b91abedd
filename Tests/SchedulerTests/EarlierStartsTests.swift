@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

/// Workers that come back as other processes, and tell what the earlier ones in their directories had started.
///
/// Every restart of a worker passed over the first numbers of all operations that the record shows as never sent.
@Suite("Starts of earlier processes", .timeLimit(.minutes(60)))
struct EarlierStartsTests {
    /// The life of the workers' first processes.
    private static let first = WorkerLife(rawValue: 7)

    /// A job of five operations on two workers: each runs one operation and was sent another; all of that is missing on disk.
    private func unrecorded() -> (cluster: Cluster, job: JobNumber, sent: [Dispatch], committed: TestRecord) {
        var cluster = Cluster(Configuration(sendAhead: .atMost(1)))
        let job = cluster.submit(.array(5))
        cluster.isDiskSlow = true
        for name in ["w1", "w2"] { cluster.join(name) }
        let committed = cluster.record
        cluster.commit()
        return (cluster, job, cluster.sent, committed)
    }

    private func told(_ attempts: [Dispatch], of lives: WorkerLife...) -> EarlierStarts {
        EarlierStarts(lives: lives, attempts: attempts.map { StartedAttempt($0) })
    }

    /// Lets everything run, and returns the numbers of the last attempts.
    private func finish(_ cluster: inout Cluster, _ operations: [OperationID]) -> [UInt32] {
        cluster.finishAll()
        return operations.map { cluster.last($0)?.attempt ?? 0 }
    }

    /// The attempts that the last event acknowledged.
    private func acknowledged(_ cluster: Cluster) -> [AttemptToken] {
        cluster.effects.compactMap { if case .acknowledge(_, let token, isStale: false) = $0 { token } else { nil } }
    }

    @Test("D3 Workers that come back as other processes keep the numbers of what they have not started")
    func known() {
        var (cluster, job, sent, committed) = unrecorded()
        let running = cluster.started
        #expect(running.count == 2 && sent.count == 4)
        cluster.restart(from: committed)
        for (name, attempt) in zip(["w1", "w2"], running) {
            #expect(cluster.order.isEmpty)
            cluster.join(name, processID: 8, earlierStarts: told([attempt], of: Self.first))
            #expect(acknowledged(cluster) == [attempt.token])
        }
        #expect(cluster.record.jobsMissingAttempts.isEmpty)
        let expected: [UInt32] = (0..<5).map { index in running.contains { $0.operation == job / index } ? 2 : 1 }
        #expect(finish(&cluster, (0..<5).map { job / $0 }) == expected)
        #expect((0..<5).allSatisfy { cluster.last(job / $0)?.losses == 0 })
    }

    @Test("D3 What recorded attempts of an earlier process have not started is not lost", arguments: [true, false])
    func recorded(isCoordinatorKilled: Bool) {
        var cluster = Cluster(Configuration(sendAhead: .atMost(2)))
        cluster.join("w1")
        let job = cluster.submit(.array(3))
        let running = cluster.started
        #expect(cluster.sent.count == 3 && running.count == 1)
        if isCoordinatorKilled { cluster.restart() }
        cluster.join("w1", processID: 8, earlierStarts: told(running, of: Self.first))
        #expect(finish(&cluster, (0..<3).map { job / $0 }) == [2, 1, 1])
        #expect((0..<3).map { cluster.last(job / $0)?.losses } == [1, 0, 0])
    }

    @Test("D3 An attempt that started without a report is lost, and the next one has the next number")
    func unreported() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(1)))
        cluster.join("w1")
        let job = cluster.submit(.array(2))
        let sent = cluster.sent
        #expect(sent.count == 2 && cluster.started.count == 1)
        cluster.restart()
        cluster.join("w1", processID: 8, earlierStarts: told(sent, of: Self.first))
        #expect(finish(&cluster, [job / 0, job / 1]) == [2, 2])
        #expect([job / 0, job / 1].map { cluster.record.attempts[$0]?.count } == [1, 1])
    }

    /// Reports that say nothing about the process of the record.
    enum Doubt: CaseIterable {
        case otherLife, otherIdentity, otherKey, contradiction, otherName, nothing
    }

    @Test("D3 Numbers are passed over if a report does not cover the process of the record", arguments: Doubt.allCases)
    func unknown(_ doubt: Doubt) {
        var cluster = Cluster()
        cluster.join("w1", keyNumber: 1)
        let job = cluster.submit(.array(3))
        let running = cluster.started
        cluster.restart()
        cluster.join(
            doubt == .otherName ? "w2" : "w1",
            processID: 8,
            id: doubt == .otherIdentity ? WorkerID(rawValue: 2) : WorkerID(rawValue: 1),
            replaces: true,
            keyNumber: doubt == .otherKey ? nil : 1,
            earlierStarts: doubt == .nothing
                ? nil
                : told(
                    doubt == .contradiction ? [] : running,
                    of: doubt == .otherLife ? WorkerLife(rawValue: 6) : Self.first
                )
        )
        cluster.pass(.seconds(60))
        let numbers = finish(&cluster, (0..<3).map { job / $0 })
        // A worker without a known key is told by its identity, as without keys.
        #expect(numbers == (doubt == .otherKey ? [2, 1, 1] : [2, 2, 2]))
    }

    @Test("D3 Numbers stay exact although both are killed again while another worker is waited for")
    func twice() {
        var (cluster, job, _, committed) = unrecorded()
        let running = cluster.started
        cluster.restart(from: committed)
        cluster.join("w1", processID: 8, earlierStarts: told([running[0]], of: Self.first))
        cluster.restart()
        // The first coordinator has acknowledged the start.
        cluster.join("w1", processID: 9, earlierStarts: told([], of: Self.first, WorkerLife(rawValue: 8)))
        #expect(cluster.order.isEmpty)
        let session = cluster.join("w2", holding: [running[1]])
        cluster.report(running[1], session: session)
        let expected: [UInt32] = (0..<5).map { running[0].operation == job / $0 ? 2 : 1 }
        #expect(finish(&cluster, (0..<5).map { job / $0 }) == expected)
    }

    // Seed 89363 of the simulation: the start was acknowledged, and its number given again after one more restart.
    @Test(
        "D3 The number of a start is used up whose claim came with the process before, and waited for another operation",
        arguments: [false, true]
    )
    func claimedBefore(hasEnded: Bool) throws {
        var cluster = Cluster()
        cluster.join("w1", offer: WorkerOffer(labels: ["n": "a"]))
        cluster.join("w2", id: WorkerID(rawValue: 2), offer: WorkerOffer(labels: ["n": "b"]))
        let job = cluster.submit(
            .op(template: 0),
            .op(template: 1, on: .needs(0)),
            templates: [.asking(labels: ["n=b"]), .asking(labels: ["n=a"])]
        )
        let first = try #require(cluster.running[job / 0])
        let committed = cluster.record
        cluster.finish(job / 0)
        let second = try #require(cluster.running[job / 1])
        // The end of the first operation was not on disk, and its worker is away.
        cluster.restart(from: committed)
        let session = cluster.join("w1", holding: [second], offer: WorkerOffer(labels: ["n": "a"]))
        if hasEnded { cluster.report(second, session: session) }
        #expect(cluster.state(job / 1) == .pending)
        let offer = WorkerOffer(labels: ["n": "a"])
        cluster.join("w1", processID: 8, offer: offer, earlierStarts: told([second], of: Self.first))
        #expect(acknowledged(cluster).contains(second.token))
        #expect(cluster.record.operation(job / 1)?.attempt == 1)
        cluster.restart()
        // The coordinator before has acknowledged the start.
        let lives = told([], of: Self.first, WorkerLife(rawValue: 8))
        cluster.join("w1", processID: 9, offer: offer, earlierStarts: lives)
        let otherOffer = WorkerOffer(labels: ["n": "b"])
        let other = cluster.join("w2", holding: [first], id: WorkerID(rawValue: 2), offer: otherOffer)
        cluster.report(first, session: other)
        #expect(finish(&cluster, [job / 0, job / 1]) == [1, 2])
    }

    @Test("D3 A worker that does not tell its starts lets numbers be passed over, whatever others tell")
    func oneUnknown() {
        var (cluster, job, _, committed) = unrecorded()
        let running = cluster.started
        cluster.restart(from: committed)
        cluster.join("w1", processID: 8, earlierStarts: told([running[0]], of: Self.first))
        cluster.pass(.seconds(10))
        #expect(finish(&cluster, (0..<5).map { job / $0 }) == [2, 2, 2, 2, 2])
    }

    @Test("D12 Starts of a coordinator that is not in the record are foreign, and no acknowledgement comes for them")
    func foreign() {
        var (cluster, job, sent, committed) = unrecorded()
        let other = AttemptToken(epoch: 1, serial: 1, of: Incarnation(rawValue: 99))
        let start = StartedAttempt(token: other, operation: job / 3, attempt: 1)
        cluster.restart(from: committed)
        cluster.join("w1", processID: 8, earlierStarts: EarlierStarts(lives: [Self.first], attempts: [start]))
        let foreign = cluster.effects.compactMap { effect -> [AttemptToken]? in
            if case .welcome(_, stale: _, let foreign, recalled: _) = effect { foreign } else { nil }
        }
        #expect(foreign == [[other]])
        #expect(acknowledged(cluster).isEmpty)
        cluster.join("w2", processID: 8, earlierStarts: told([sent[1]], of: Self.first))
        #expect(finish(&cluster, [job / 3]) == [1])
    }

    @Test("D3 A false report takes no operation away from the worker that has claimed it")
    func falseReport() {
        var (cluster, _, sent, committed) = unrecorded()
        let running = cluster.started
        cluster.restart(from: committed)
        let session = cluster.join("w2", holding: [running[1]])
        cluster.join("w1", processID: 8, earlierStarts: told(sent + running, of: Self.first))
        let claimed = running[1].operation
        #expect(cluster.state(claimed) == .executing && cluster.last(claimed)?.attempt == 1)
        cluster.report(running[1], session: session)
        #expect(cluster.outcome(claimed) == .succeeded && cluster.last(claimed)?.attempt == 1)
    }

    @Test("D3 A newer attempt that started counts, also if the record has an earlier one that was returned")
    func returnedAndStarted() {
        var cluster = Cluster()
        cluster.join("w1")
        cluster.submit(.op())
        let silent = cluster.join("w2")
        cluster.delayMessages(to: silent)
        let job = cluster.submit(.op())
        let committed = cluster.record
        #expect(committed.operation(job / 0)?.worker == "w2")
        cluster.finish(JobNumber(1) / 0)
        cluster.apply(.workerLeft(silent))
        let running = cluster.started
        #expect(running.last?.operation == job / 0 && cluster.last(job / 0)?.worker == "w1")
        cluster.restart(from: committed)
        cluster.join("w1", processID: 8, earlierStarts: told(running, of: Self.first))
        #expect(cluster.record.operation(job / 0)?.attempt == 1)
        cluster.join("w2", slots: 2)
        #expect(finish(&cluster, [job / 0]) == [2])
    }

    // Seed 34629 of the simulation: the start was acknowledged, and its number given again.
    @Test("D3 A newer attempt that started counts, also if the record has an earlier one that the same worker returned")
    func returnedAndStartedThere() throws {
        var cluster = Cluster()
        let session = cluster.join("w1")
        cluster.delayMessages(to: session)
        let job = cluster.submit(.op())
        let committed = cluster.record
        let returned = try #require(cluster.sent.last)
        cluster.apply(.attemptsReturned(session, [returned.token]))
        let started = try #require(cluster.sent.last)
        #expect(started.token != returned.token && started.operation == job / 0)
        cluster.restart(from: committed)
        cluster.join("w1", processID: 8, earlierStarts: told([started], of: Self.first))
        #expect(finish(&cluster, [job / 0]) == [2])
    }
}

extension StartedAttempt {
    fileprivate init(_ dispatch: Dispatch) {
        self.init(token: dispatch.token, operation: dispatch.operation, attempt: dispatch.attempt)
    }
}
