@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestRecords
import Testing

@_spi(Baton) @testable import baton_cli

@Suite("Frames of the live screen")
struct TopFrameTests {
    private static func counts(succeeded: Int = 0, failed: Int = 0, executing: Int = 0, ready: Int = 0) -> JobCounts {
        var counts = JobCounts()
        (counts.succeeded, counts.failed, counts.executing, counts.ready) = (succeeded, failed, executing, ready)
        return counts
    }

    private static func job(_ number: UInt32, _ counts: JobCounts, name: String? = nil) -> OverviewDocument.Job {
        OverviewDocument.Job(
            job: JobNumber(number),
            name: name,
            command: name == nil ? ["sh", "-c", "echo '1\n2'; sleep 100; echo a command that does not fit"] : nil,
            counts: counts,
            progress: Double(counts.finished) / Double(max(1, counts.total)),
            submittedAt: SampleDocuments.moment(0)
        )
    }

    private static func overview(_ change: (inout OverviewDocument) -> Void) -> OverviewDocument {
        var overview = SampleDocuments.overview
        overview.time = SampleDocuments.moment(100)
        change(&overview)
        return overview
    }

    private static func lines(
        _ state: TopState,
        width: Int = 80,
        height: Int? = 24,
        at time: Duration = .seconds(1),
        hasKeys: Bool = true
    ) -> [String] {
        TopFrame(state: state, width: width, height: height, style: .plain, time: time, hasKeys: hasKeys).lines
    }

    /// More of everything than fits, with long and wide names, and large numbers.
    private static let crowd = overview { overview in
        overview.recordFault = String(repeating: "There is no room on the disk /var/lib/baton. ", count: 9)
        overview.coordinator = "tcp://a-host-with-a-long-name.of.a-domain-with-a-long-name.example.org:7461"
        overview.slots = 100_000
        overview.counts = counts(succeeded: 99_000_000, failed: 1_000_000, executing: 99_999, ready: 50_000_000)
        overview.jobs = (1...50).map { number in
            job(
                1_000_000 + number,
                counts(succeeded: 999_000, failed: 999, executing: 9_999, ready: 1),
                name: number % 2 == 0 ? nil : String(repeating: "日本語", count: 20)
            )
        }
        overview.moreJobs = 1_234
        overview.queues = (1...20).map { number in
            OverviewDocument.Queue(
                queue: String(repeating: "queue\(number)-", count: 12),
                suspended: number % 2 == 0,
                maxConcurrent: 100,
                executing: 100,
                waiting: 1_000_000
            )
        }
        overview.troubledWorkers = (1...20).map { number in
            OverviewDocument.Worker(
                worker: "worker-\(number)",
                state: .failing,
                reason: String(repeating: "The program was not started.\n", count: 9),
                slots: 1,
                executing: 0
            )
        }
    }

    @Test(
        "No line is wider than the terminal, and no frame is higher",
        arguments: [(80, 24), (140, 50), (40, 10), (20, 3), (1, 1)]
    )
    func sizes(width: Int, height: Int) {
        for overview in [Self.crowd, SampleDocuments.overview, Self.overview { $0.jobs = [] }] {
            var state = TopState(overview, at: .zero)
            for isOpen in [false, true] {
                if isOpen { state.open = TopState.OpenJob(job: JobNumber(12), fault: "There is no job 12.") }
                for hasKeys in [false, true] {
                    let lines = Self.lines(state, width: width, height: height, at: .seconds(60), hasKeys: hasKeys)
                    #expect(lines.count <= height)
                    for line in lines {
                        #expect(TextWidth.columns(of: line) <= width, "\(line)")
                        #expect(!line.contains { $0.isNewline })
                    }
                }
            }
        }
    }

    @Test("A frame has the sums, the jobs with their figures, and what needs somebody")
    func frame() {
        let overview = Self.overview { overview in
            overview.jobs = [
                Self.job(14, Self.counts(ready: 3)),
                Self.job(12, Self.counts(succeeded: 40, failed: 10, executing: 2, ready: 48), name: "study"),
            ]
            overview.finished = 100
            overview.failedLastHour = 10
        }
        var state = TopState(overview, at: .zero)
        var later = overview
        later.finished = 150
        state.take(later, at: .seconds(5))
        let text = Self.lines(state, height: nil, at: .seconds(5), hasKeys: false)
        #expect(text[0].hasPrefix("baton top  tcp://127.0.0.1:7461  up 1m 00s  "))
        #expect(
            Array(text.dropFirst()) == [
                "slots [#####>              ] 1 of 4 busy, 2 workers",
                "ready 0   executing 1   pending 1   finished 10/s", "failed in the last hour 10", "",
                "  JOB  NAME                    PROGRESS      DONE  EXEC  FAILED     ETA  ELAPSED",
                "   14  …nd that does not fit'  [>       ]     0/3     0       0       -   1m 40s",
                "   12  study                   [####>   ]  50/100     2      10  1m 39s   1m 40s", "",
                "queue images is suspended, 1 waiting", "",
                "operation 12/3 on w1 is stopped by SIGTTIN since \(SampleDocuments.moment(60).localText)",
                "the hook of 12/4 on w2 is stopped by SIGSTOP since \(SampleDocuments.moment(70).localText)", "",
                "worker w1 is failing: No space is left on the disk.",
            ]
        )
    }

    @Test("A frame lists what is paused, by whom, and how it goes on")
    func paused() {
        let overview = Self.overview { overview in
            overview.paused = (UInt32(1)...5).map { index in
                PausedOperation(
                    operation: OperationID(job: JobNumber(12), index: index),
                    paused: PauseDocument(by: index == 1 ? "laptop" : nil, since: SampleDocuments.moment(60))
                )
            }
            overview.morePaused = 2
        }
        let text = Self.lines(TopState(overview, at: .zero), width: 120, height: nil, hasKeys: false)
        let since = SampleDocuments.moment(60).localText
        let first = "operation 12/1 is paused by laptop since \(since), until \"baton resume 12/1\"."
        let last = "operation 12/4 is paused since \(since), until \"baton resume 12/4\"."
        #expect(text.contains(first) && text.contains(last), "\(text)")
        #expect(text.contains("  and 3 more paused operations"), "\(text)")
    }

    // A job without operations had a full bar.
    @Test("The bar of an open job is never full, with and without operations")
    func barOfOpenJob() throws {
        var jobs = [Self.job(14, Self.counts()), Self.job(12, Self.counts(succeeded: 2))]
        for index in jobs.indices { jobs[index].open = true }
        let overview = Self.overview { $0.jobs = jobs }
        let lines = Self.lines(TopState(overview, at: .zero), height: nil, hasKeys: false)
        let bars = lines.compactMap { line in
            line.contains(" open ")
                ? line.split(separator: "[").last?.split(separator: "]").first.map(String.init) : nil
        }
        #expect(bars == [">       ", "#######>"])

        let document = JobDocument(
            job: JobNumber(14),
            name: nil,
            state: .pending,
            open: true,
            counts: Self.counts(),
            operations: [],
            submittedAt: SampleDocuments.moment(0)
        )
        var state = TopState(overview, at: .zero)
        state.open = TopState.OpenJob(job: JobNumber(14), document: document)
        let one = Self.lines(state, height: nil, hasKeys: false)
        let line = try #require(one.first { $0.hasPrefix("[") })
        #expect(line.hasPrefix("[>  "), "\(line)")
    }

    @Test("The marked line stays in view, and on its job while jobs come and go")
    func selection() {
        func overview(_ jobs: [UInt32]) -> OverviewDocument {
            Self.overview { overview in
                overview.jobs = jobs.map { Self.job($0, Self.counts(ready: 1), name: "job-\($0)") }
                overview.queues = []
                overview.troubledWorkers = []
            }
        }
        func marked(_ state: TopState) -> String? {
            let line = Self.lines(state, height: 12).first { $0.hasPrefix(">") }
            return line?.split(separator: " ").dropFirst().first.map(String.init)
        }
        var state = TopState(overview(Array((1...30).reversed())), at: .zero)
        #expect(marked(state) == "30")
        state.moveSelection(by: -1)
        #expect(marked(state) == "30")
        state.moveSelection(by: 20)
        #expect(marked(state) == "10")
        #expect(Self.lines(state, height: 12).contains { $0.hasPrefix("  and ") })
        state.take(overview(Array((2...32).reversed())), at: .seconds(1))
        #expect(marked(state) == "10")
        // The job is finished: its place is that of the next one.
        state.take(overview(Array((2...32).reversed().filter { $0 != 10 })), at: .seconds(2))
        #expect(marked(state) == "9")
        state.moveSelection(by: 99)
        #expect(marked(state) == "2")
        state.take(overview([]), at: .seconds(3))
        #expect(state.selected == nil && marked(state) == nil)
        state.moveSelection(by: 1)
        state.take(overview([40]), at: .seconds(4))
        #expect(marked(state) == "40")
    }

    @Test("Old figures and a record that cannot be written are told of at the top")
    func banners() {
        let state = TopState(Self.overview { $0.recordFault = "There is no room." }, at: .seconds(10))
        #expect(Self.lines(state, at: .seconds(11))[1] == "RECORD: nothing new starts. There is no room.")
        let old = Self.lines(state, at: .seconds(75))
        #expect(old[1] == "STALE: the coordinator has not answered for 1m 05s; waiting for its return.")
        #expect(old[2].hasPrefix("RECORD: "))
    }

    @Test("A restart of the coordinator begins the rate anew")
    func rates() {
        func overview(_ finished: Int, epoch: UInt32) -> OverviewDocument {
            Self.overview { overview in
                overview.finished = finished
                overview.epoch = epoch
            }
        }
        var state = TopState(overview(100, epoch: 1), at: .zero)
        #expect(state.overview.finishedPerSecond == nil)
        state.take(overview(110, epoch: 1), at: .seconds(1))
        #expect(state.overview.finishedPerSecond == 10)
        state.take(overview(0, epoch: 2), at: .seconds(2))
        #expect(state.overview.finishedPerSecond == nil)
        for second in 3...60 { state.take(overview(second, epoch: 2), at: .seconds(second)) }
        #expect(state.overview.finishedPerSecond == 1)
        // Deleted queues take their numbers away.
        state.take(overview(0, epoch: 2), at: .seconds(61))
        #expect(state.overview.finishedPerSecond == 0)
    }

    @Test("An open job is shown with its counts and its failures")
    func openJob() {
        var state = TopState(SampleDocuments.overview, at: .zero)
        state.open = TopState.OpenJob(job: JobNumber(12))
        #expect(Self.lines(state).contains("Job 12 ..."))
        let counts = Self.counts(succeeded: 3, failed: 1, executing: 1, ready: 5)
        state.open?.document = JobDocument(
            job: JobNumber(12),
            name: "study",
            state: .executing,
            counts: counts,
            operations: [],
            submittedAt: SampleDocuments.moment(0)
        )
        let lines = Self.lines(state)
        #expect(lines.contains("Job 12 (study) executing"))
        #expect(lines.contains { $0.contains("]  4/10  1 executing, 1 failed  01:00") }, "\(lines)")
        #expect(lines.last == "Esc back   q quit")
    }

    @Test("An open job is shown with what holds the rest of it up")
    func waiting() {
        var state = TopState(SampleDocuments.overview, at: .zero)
        state.open = TopState.OpenJob(job: JobNumber(12))
        state.open?.document = JobDocument(
            job: JobNumber(12),
            name: "study",
            state: .ready,
            counts: Self.counts(succeeded: 0, failed: 0, executing: 0, ready: 40),
            operations: [],
            submittedAt: SampleDocuments.moment(0)
        )
        #expect(!Self.lines(state).contains("What holds the rest up:"))
        let first = OperationID(job: JobNumber(12), index: 0)
        let reasons = (1...7).map { index in
            WaitingDocument.Reason(.limit, "Reason \(index).", count: index, operation: first, queue: "q\(index)")
        }
        state.open?.waiting = WaitingDocument(job: JobNumber(12), reasons: reasons, more: 3)
        let lines = Self.lines(state)
        let start = lines.firstIndex(of: "What holds the rest up:") ?? 0
        #expect(
            lines[start...].dropFirst().prefix(6) == [
                "  Reason 1.", "  Reason 2.", "  Reason 3.", "  Reason 4.", "  Reason 5.",
                "  and 16 more: baton explain 12",
            ]
        )
    }
}
