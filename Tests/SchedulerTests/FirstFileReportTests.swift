@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

/// Jobs that need files of jobs that had finished before a restart, of which only the workers know who has copies.
@Suite("First reports of files after a restart", .timeLimit(.minutes(60)))
struct FirstFileReportTests {
    private static let bam = KeptFile("a.bam", 1)
    private static let log = KeptFile("a.log", 2)

    /// A restarted cluster with the record of a finished job, whose operation has left files at w1, and of other workers w2, w3 and so on.
    private static func restarted(workers count: Int = 2) -> (cluster: Cluster, first: JobNumber) {
        var cluster = Cluster()
        join(1, in: &cluster)
        let first = cluster.submit(.op(), templates: [.leavingFiles])
        cluster.finish(first / 0, leaving: bam, log)
        for number in 1...count where number > 1 { join(number, in: &cluster) }
        #expect(cluster.record.finished[first] != nil)
        cluster.restart()
        return (cluster, first)
    }

    @discardableResult
    private static func join(_ number: Int, in cluster: inout Cluster) -> SessionID {
        cluster.join("w\(number)", id: WorkerID(rawValue: UInt64(number)))
    }

    /// Lets a worker join and tell that it has nothing but some files.
    @discardableResult
    private static func join(_ number: Int, reporting files: [KeptFile], in cluster: inout Cluster) -> SessionID {
        let session = join(number, in: &cluster)
        cluster.apply(.filesHeld(session, files.map(\.digest), isFirst: true))
        return session
    }

    /// Submits an operation that needs the files.
    private static func submit(after first: JobNumber, in cluster: inout Cluster) -> OperationID {
        cluster.submit(.op(on: .needs(first / 0))) / 0
    }

    /// Whether an operation waits for files that do not count as lost.
    private static func waits(_ id: OperationID, in cluster: Cluster) -> Bool {
        cluster.state(id) == .pending && cluster.outcome(id) == nil && !cluster.scheduler.isLost(bam.digest)
    }

    /// Whether an operation has failed because its files are lost.
    private static func hasFailed(_ id: OperationID, in cluster: Cluster) -> Bool {
        cluster.outcome(id) == .failed && cluster.last(id)?.reason?.code == .input
            && cluster.last(id)?.reason?.message.contains("a.log") == true
    }

    // MARK: - Any order

    /// What happens after a restart.
    private enum Step: Hashable {
        case submission
        case join(Int)
        case report(Int)

        /// What has to come before it.
        var condition: Step? { if case .report(let number) = self { .join(number) } else { nil } }
    }

    /// All orders of some steps in which each comes behind its condition.
    private static func orders(of steps: [Step]) -> [[Step]] {
        guard !steps.isEmpty else { return [[]] }
        return steps.flatMap { first -> [[Step]] in
            if let condition = first.condition, steps.contains(condition) { return [] }
            return orders(of: steps.filter { $0 != first }).map { [first] + $0 }
        }
    }

    @Test(
        "FI3 FI7 A later job starts with the report of the holder, or fails with the last report if nobody has the files, in any order",
        arguments: [nil, 1, 2] as [Int?]
    )
    func anyOrder(holder: Int?) throws {
        let orders = Self.orders(of: [.submission, .join(1), .report(1), .join(2), .report(2)])
        #expect(orders.count == 30)
        for order in orders {
            var (cluster, first) = Self.restarted()
            var sessions: [Int: SessionID] = [:]
            var reported: Set<Int> = []
            var submitted: OperationID?
            for step in order {
                switch step {
                case .submission: submitted = Self.submit(after: first, in: &cluster)
                case .join(let number): sessions[number] = Self.join(number, in: &cluster)
                case .report(let number):
                    let session = try #require(sessions[number])
                    if number == holder {
                        cluster.report(Self.bam, Self.log, in: session)
                    } else {
                        cluster.report(in: session)
                    }
                    reported.insert(number)
                }
                guard let later = submitted else { continue }
                if let holder, reported.contains(holder) {
                    #expect(cluster.attempts(of: later) == [1], "\(order), \(step)")
                } else if reported.count == 2 {
                    #expect(Self.hasFailed(later, in: cluster), "\(order), \(step)")
                } else {
                    #expect(Self.waits(later, in: cluster), "\(order), \(step)")
                }
            }
            #expect(cluster.attempts(of: first / 0).isEmpty)
        }
    }

    @Test("A report in parts counts once it is whole")
    func parts() {
        var (cluster, first) = Self.restarted(workers: 1)
        let later = Self.submit(after: first, in: &cluster)
        let w1 = Self.join(1, in: &cluster)
        let others = (0..<UInt64(FileTable.longestReport)).map { KeptFile("x", 100 + $0).digest }
        cluster.apply(.filesHeld(w1, others, isFirst: true))
        #expect(Self.waits(later, in: cluster))
        cluster.apply(.filesHeld(w1, [Self.bam.digest], isFirst: false))
        #expect(Self.hasFailed(later, in: cluster), "one of two files is not there")
    }

    // MARK: - Workers that do not come back

    @Test(
        "FI7 Whoever does not come back is awaited until the window is over, and not longer than the files",
        arguments: [[], [2], [2, 3], [3]] as [[Int]]
    )
    func absentHolder(returning: [Int]) {
        var (cluster, first) = Self.restarted(workers: 3)
        let window = cluster.scheduler.configuration.reconcileTime
        cluster.pass(.seconds(1))
        let later = Self.submit(after: first, in: &cluster)
        for number in returning { Self.join(number, reporting: [], in: &cluster) }
        cluster.pass(window - .milliseconds(1001))
        #expect(Self.waits(later, in: cluster))
        cluster.pass(.milliseconds(1))
        #expect(Self.hasFailed(later, in: cluster) && cluster.scheduler.isLost(Self.bam.digest))
        // The next job finds the holder back.
        Self.join(1, reporting: [Self.bam, Self.log], in: &cluster)
        let next = Self.submit(after: first, in: &cluster)
        #expect(cluster.attempts(of: next) == [1])
    }

    @Test("FI3 Nobody else is awaited once the files are there, and what one worker lacks another one may have")
    func absentOther() {
        var (cluster, first) = Self.restarted(workers: 4)
        let later = Self.submit(after: first, in: &cluster)
        Self.join(3, reporting: [Self.log], in: &cluster)
        #expect(Self.waits(later, in: cluster))
        Self.join(2, in: &cluster)
        Self.join(1, reporting: [Self.bam], in: &cluster)
        #expect(cluster.attempts(of: later) == [1])
    }

    @Test("FI7 Whoever has joined and does not report is awaited until the window is over", arguments: [false, true])
    func silent(isKnown: Bool) {
        var (cluster, first) = Self.restarted(workers: 1)
        if !isKnown { Self.join(1, reporting: [], in: &cluster) }
        Self.join(isKnown ? 1 : 9, in: &cluster)
        let later = Self.submit(after: first, in: &cluster)
        cluster.pass(cluster.scheduler.configuration.reconcileTime - .milliseconds(1))
        #expect(Self.waits(later, in: cluster))
        cluster.pass(.milliseconds(1))
        #expect(Self.hasFailed(later, in: cluster))
    }

    @Test("FI7 After the window, and with nobody to wait for, it is decided at once", arguments: [false, true])
    func over(isNobodyKnown: Bool) {
        var (cluster, first) = Self.restarted(workers: 1)
        if isNobodyKnown {
            cluster.expel("w1")
        } else {
            cluster.pass(cluster.scheduler.configuration.reconcileTime)
        }
        let later = Self.submit(after: first, in: &cluster)
        #expect(Self.hasFailed(later, in: cluster))
    }

    /// How a worker of before a restart ceases to be one that may have files.
    enum Departure: CaseIterable { case expelledAbsent, expelled, left, older }

    @Test("FI7 A worker that is gone or keeps no files is not awaited", arguments: Departure.allCases)
    func departed(departure: Departure) {
        var (cluster, first) = Self.restarted(workers: 2)
        let later = Self.submit(after: first, in: &cluster)
        Self.join(1, reporting: [], in: &cluster)
        #expect(Self.waits(later, in: cluster))
        switch departure {
        case .expelledAbsent: break
        case .expelled, .left:
            let w2 = Self.join(2, in: &cluster)
            #expect(Self.waits(later, in: cluster))
            if departure == .left { cluster.apply(.workerLeft(w2)) }
        case .older:
            var introduction = Cluster.introduction("w2", SessionID(rawValue: 900))
            introduction.id = WorkerID(rawValue: 2)
            introduction.life = WorkerLife(rawValue: UInt64(introduction.processID))
            introduction.knowsFiles = false
            cluster.apply(.workerJoined(introduction))
        }
        if departure == .expelled || departure == .expelledAbsent { cluster.expel("w2") }
        #expect(Self.hasFailed(later, in: cluster))
    }

    // MARK: - What else there is

    @Test("FI3 A reconcile window that ends early leaves the reports awaited")
    func unfinishedJob() {
        var cluster = Cluster()
        Self.join(1, in: &cluster)
        let first = cluster.submit(.op(), templates: [.leavingFiles])
        cluster.finish(first / 0, leaving: Self.bam, Self.log)
        cluster.suspend("b")
        let unfinished = cluster.submit(.op(queue: 1), queues: ["a", "b"])
        cluster.restart()
        #expect(cluster.scheduler.reconciliation.isOpen)
        let w1 = Self.join(1, in: &cluster)
        #expect(!cluster.scheduler.reconciliation.isOpen && cluster.state(unfinished / 0) == .ready)
        let later = Self.submit(after: first, in: &cluster)
        #expect(Self.waits(later, in: cluster))
        cluster.report(Self.bam, Self.log, in: w1)
        #expect(cluster.attempts(of: later) == [1])
    }

    @Test("FI6 Nothing runs again before a worker that has joined soon after a restart has told what it has")
    func rerun() {
        for hasFile in [true, false] {
            var cluster = Cluster()
            Self.join(1, in: &cluster)
            let job = cluster.submitWithBlockedDependent()
            cluster.finish(job / 0, leaving: Self.bam)
            cluster.restart()
            let w1 = Self.join(1, in: &cluster)
            cluster.report(Self.bam, in: w1)
            let w2 = Self.join(2, in: &cluster)
            cluster.apply(.filesDropped(w1, [Self.bam.digest]))
            #expect(Self.waits(job / 1, in: cluster) && cluster.started.isEmpty)
            if hasFile { cluster.report(Self.bam, in: w2) } else { cluster.report(in: w2) }
            #expect(cluster.state(job / 1) == (hasFile ? .ready : .pending))
            #expect(cluster.attempts(of: job / 0) == (hasFile ? [] : [2]))
        }
    }

    @Test("What needs no such files waits for no report, and no timer is set for it")
    func others() {
        var (cluster, first) = Self.restarted(workers: 3)
        #expect(!cluster.scheduler.reconciliation.isOpen)
        cluster.join("w1", slots: 9, id: WorkerID(rawValue: 1))
        let job = cluster.submit(.op(), .op(on: .needs(0)), .array(3))
        #expect(cluster.started.map(\.operation) == [job / 0, job / 2, job / 3, job / 4])
        cluster.finish(job / 0)
        #expect(cluster.attempts(of: job / 1) == [1])
        #expect(!cluster.scheduler.files.firstReports.hasTimer)
        let later = Self.submit(after: first, in: &cluster)
        #expect(Self.waits(later, in: cluster) && cluster.scheduler.files.firstReports.hasTimer)
        // It is waited for no more.
        cluster.cancel(.operation(later))
        #expect(cluster.outcome(later) == .cancelled)
        cluster.pass(cluster.scheduler.configuration.reconcileTime)
        #expect(!cluster.scheduler.files.firstReports.hasTimer && cluster.outcome(later) == .cancelled)
    }

    @Test("With an empty record, nobody is awaited")
    func emptyRecord() {
        var cluster = Cluster()
        Self.join(1, in: &cluster)
        cluster.restart()
        Self.join(1, in: &cluster)
        #expect(!cluster.scheduler.areFirstFileReportsAwaited && cluster.scheduler.files.areReported)
    }

    @Test("The wait is told with the workers that have not reported, and how long it lasts at most")
    func explained() {
        var (cluster, first) = Self.restarted(workers: 3)
        let end = cluster.now + cluster.scheduler.configuration.reconcileTime
        let later = Self.submit(after: first, in: &cluster)
        let sessions = [2, 7].map { Self.join($0, in: &cluster) }
        func wait(for names: String...) -> [Impediment] { [.reconciling(until: end, workers: names)] }
        #expect(cluster.scheduler.impediments(of: later) == wait(for: "w1", "w2", "w3", "w7"))
        cluster.report(in: sessions[1])
        #expect(cluster.scheduler.impediments(of: later) == wait(for: "w1", "w2", "w3"))
        cluster.report(in: sessions[0])
        #expect(cluster.scheduler.impediments(of: later) == wait(for: "w1", "w3"))
    }
}
