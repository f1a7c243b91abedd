@_spi(Baton) import BatonChaosChecks
import Testing

/// Each test changes the story in one way, and expects the violation of that change alone.
@Suite("Violations that the chaos checks find")
struct CheckTests {
    private var story = Story()

    @Test("The checks find no violation in a story that went well")
    func nothing() {
        #expect(story.violations == [])
        #expect(story.evidence.reruns() == 0)
    }

    // MARK: - Submissions

    @Test("The checks find an acknowledged job that is missing")
    mutating func lostJob() {
        story.evidence.jobs = []
        story.journal = []
        #expect(story.violations == ["The submission story was acknowledged as job 1, which does not exist."])
    }

    @Test("The checks find a submission that exists twice")
    mutating func doubleJob() {
        var second = story.evidence.jobs[0]
        second.job = 2
        second.operations = second.operations.map { _ in ShownOperation(outcome: "cancelled") }
        story.evidence.jobs.append(second)
        story.evidence.askedToCancel = ["2"]
        #expect(story.violations == ["The submission story exists several times: as jobs 1, 2."])
    }

    @Test("The checks accept a submission without an acknowledgement, whether its job exists or not")
    mutating func unacknowledged() {
        story.evidence.submitted[0].acknowledged = []
        #expect(story.violations == [])
        story.evidence.jobs = []
        story.journal = []
        #expect(story.violations == [])
    }

    @Test("The checks find a job with missing operations")
    mutating func incompleteJob() {
        story.evidence.jobs[0].operations.removeLast()
        story.remove(Story.start(2, worker: 11))
        story.remove(Story.end(2))
        #expect(story.violations == ["Job 1 has 2 operations; 3 were submitted."])
    }

    @Test("The checks find a job and an operation that were never submitted")
    mutating func inventedJob() {
        story.evidence.jobs.append(ShownJob(job: 2, name: "other", operations: []))
        story.journal.append(.started(OperationAddress(job: 3, index: 0), attempt: 1, process: 1, worker: 11))
        #expect(
            story.violations == ["Job 2 exists, and nobody submitted it.", "3/0 was executed, and does not exist."]
        )
    }

    @Test("The checks find a wait that returns before its job has ended")
    mutating func earlyWait() {
        story.remove(.waited(job: 1))
        story.insert(.waited(job: 1), before: Story.end(2))
        #expect(story.violations == ["The wait for job 1 returned before attempt 1 of 1/2 ended."])
    }

    // MARK: - Outcomes

    @Test("The checks find an operation without an outcome")
    mutating func noOutcome() {
        story[2] = ShownOperation(state: "executing", outcome: nil)
        #expect(story.violations == ["1/2 has no outcome: it is executing."])
    }

    @Test("The checks find a success of an attempt that did not end with success")
    mutating func inventedSuccess() {
        story.remove(Story.end(2))
        #expect(story.violations == ["1/2 has succeeded in attempt 1, which did not end so."])
        story = Story()
        story[2].attempt = 2
        #expect(story.violations == ["1/2 has succeeded in attempt 2, which did not end so."])
    }

    @Test("The checks find a failure that did not happen or that should have been retried")
    mutating func wrongFailure() {
        story[2].outcome = "failed"
        #expect(story.violations == ["1/2 has failed in attempt 1, which did not end so."])
        story.remove(Story.end(2))
        story.insert(Story.end(2, status: 1), before: .waited(job: 1))
        #expect(story.violations == [])
        story[planned: 2].retries = 1
        #expect(story.violations == ["1/2 has failed after 1 failures, though it has 1 retries."])
    }

    @Test("The checks find an operation that failed as lost although no worker was killed")
    mutating func inventedLoss() {
        story[2] = ShownOperation(outcome: "failed", reason: "lost", losses: 6)
        #expect(story.violations == ["1/2 has failed as lost, and its worker was never killed."])
    }

    @Test(
        "The checks find a cancellation without a request, and accept a requested one",
        arguments: [["1"], ["1/2"], ["1/1", "2"]]
    )
    mutating func inventedCancellation(asked: [String]) {
        story[2].outcome = "cancelled"
        story.evidence.askedToCancel = Set(asked)
        #expect(story.violations == (asked.count == 1 ? [] : ["1/2 was cancelled, and nobody asked for it."]))
    }

    @Test("The checks find a skip without a reason, and a skip of an operation that ran")
    mutating func wrongSkip() {
        story[1] = ShownOperation(outcome: "skipped", reason: "notNeeded", attempt: 0)
        story.remove(Story.start(1, worker: 11))
        story.remove(Story.end(1))
        #expect(story.violations == ["1/1 was skipped, though all that it needs came true."])
        story[planned: 1].dependencies = [(0, .onFailure)]
        #expect(story.violations == [])
        story = Story()
        story[planned: 1].dependencies = [(0, .onFailure)]
        story[1].outcome = "skipped"
        story[1].reason = "notNeeded"
        #expect(story.violations == ["1/1 was skipped, and ran as attempt 1."])
    }

    @Test("The checks find a skip whose root succeeded, is unknown or is missing")
    mutating func wrongRoot() {
        story[planned: 1].dependencies = [(0, .onFailure)]
        story.remove(Story.start(1, worker: 11))
        story.remove(Story.end(1))
        story[1] = ShownOperation(outcome: "skipped", reason: "dependency", skippedBecauseOf: "1/0", attempt: 0)
        #expect(story.violations == ["1/1 was skipped because of 1/0, which is succeeded."])
        story[1].skippedBecauseOf = "7/0"
        #expect(story.violations == ["1/1 was skipped because of 7/0, which is unknown."])
        story[1].skippedBecauseOf = nil
        #expect(story.violations == ["1/1 was skipped because of nothing."])
    }

    @Test(
        "The checks accept a run with several onFailure once one dependency has failed, and not before"
    )
    mutating func severalFailures() {
        story[planned: 2].dependencies = [(0, .onFailure), (1, .onFailure)]
        story.remove(Story.start(1, worker: 11))
        story.remove(Story.end(1))
        story[1] = ShownOperation(outcome: "skipped", reason: "dependency", skippedBecauseOf: "1/0", attempt: 0)
        story[planned: 1].dependencies = [(0, .needs)]
        #expect(story.violations.contains("1/2 has succeeded, though what it needs of 1/0 did not come true."))
        story[0].outcome = "failed"
        #expect(!story.violations.contains { $0.hasPrefix("1/2") })
    }

    @Test("The checks find an operation that ran although its condition did not come true")
    mutating func missingSkip() {
        story[planned: 1].dependencies = [(0, .onFailure)]
        #expect(story.violations == ["1/1 has succeeded, though what it needs of 1/0 did not come true."])
    }

    @Test("The checks find an operation that ran again after it was finished")
    mutating func finishedAgain() {
        story[0].attempt = 1
        story[0].outcome = "failed"
        story[planned: 1].dependencies = [(0, .after)]
        #expect(story.violations == ["1/0 has failed in attempt 1, and attempt 2 ran."])
    }

    // MARK: - Dependencies

    @Test("The checks find a start before the end of a dependency")
    mutating func earlyStart() {
        story.remove(Story.start(2, worker: 11))
        story.insert(Story.start(2, worker: 12), before: Story.end(1))
        story.evidence.limits = [:]
        #expect(story.violations == ["1/2 started before attempt 1 of 1/1 ended, on which it depends."])
    }

    // MARK: - Attempts

    @Test("The checks find a second attempt without a failure or a loss")
    mutating func needlessAttempt() {
        story[2].attempt = 2
        story.insert(Story.start(2, attempt: 2, worker: 11), Story.end(2, attempt: 2), before: .waited(job: 1))
        #expect(
            story.violations == ["1/2 ran again as attempt 2, though attempt 1 neither failed nor lost its worker."]
        )
        #expect(story.evidence.reruns() == 0)
    }

    @Test("The checks accept a rerun after a cut worker only if the coordinator was killed too")
    mutating func cutOff() {
        story.journal.insert(.born(process: 9, name: "coordinator-1"), at: 0)
        story[2].attempt = 2
        story.insert(.cut(name: "w"), before: Story.start(2, worker: 11))
        story.insert(Story.start(2, attempt: 2, worker: 12), Story.end(2, attempt: 2), before: .waited(job: 1))
        #expect(
            story.violations == ["1/2 ran again as attempt 2, though attempt 1 neither failed nor lost its worker."]
        )
        story.insert(.killing(process: 9), .gone(process: 9), before: Story.end(2))
        #expect(story.violations == [])
        story.remove(.cut(name: "w"))
        story.insert(.cut(name: "w"), .joined(name: "w"), before: Story.start(2, worker: 11))
        #expect(story.violations.count == 1)
    }

    @Test(
        "FI6 The checks accept a further attempt for a file that was lost with a worker, and for nothing else",
        arguments: [true, false]
    )
    mutating func repeatedForFile(_ leavesFile: Bool) {
        story[planned: 0].leavesFile = leavesFile
        story[0].attempt = 3
        story.journal += [
            .killing(process: 11), .gone(process: 11), .born(process: 12, name: "w-12"),
            Story.start(0, attempt: 3, worker: 12), Story.end(0, attempt: 3),
        ]
        story.remove(.waited(job: 1))
        #expect(story.violations.isEmpty == leavesFile)
    }

    @Test("FI6 The checks find a further attempt for a file whose worker was there all the time")
    mutating func repeatedNeedlessly() {
        story[planned: 1].leavesFile = true
        story[1].attempt = 2
        story.insert(
            Story.start(1, attempt: 2, worker: 11),
            Story.end(1, attempt: 2),
            before: Story.start(2, worker: 11)
        )
        #expect(!story.violations.isEmpty)
    }

    @Test("FI3 The checks find an operation that did not find the bytes of a file")
    mutating func misread() {
        story.insert(.misread(OperationAddress(job: 1, index: 1), input: "o0"), before: Story.end(1))
        #expect(story.violations == ["1/1 did not find the bytes that o0 left in its file."])
    }

    @Test("The checks find a retry beyond the retries of the operation")
    mutating func needlessRetry() {
        story[2].attempt = 2
        story.remove(Story.end(2))
        story.insert(
            Story.end(2, status: 1),
            Story.start(2, attempt: 2, worker: 11),
            Story.end(2, attempt: 2),
            before: .waited(job: 1)
        )
        #expect(
            story.violations == ["1/2 ran again as attempt 2, though attempt 1 neither failed nor lost its worker."]
        )
        story[planned: 2].retries = 1
        #expect(story.violations == [])
    }

    @Test("The checks find two attempts of one operation at the same time")
    mutating func twoAtOnce() {
        story[2].attempt = 2
        story.insert(Story.start(2, attempt: 2, worker: 12), Story.end(2, attempt: 2), before: Story.end(2))
        story.evidence.limits = [:]
        #expect(story.violations == ["1/2 started as attempt 2 while attempt 1 still ran."])
    }

    @Test("The checks find an attempt number that ran twice")
    mutating func sameAttempt() {
        story.insert(.killing(process: 11), .gone(process: 11), before: .waited(job: 1))
        story.insert(
            .started(OperationAddress(job: 1, index: 2), attempt: 1, process: 99, worker: 12),
            .ended(OperationAddress(job: 1, index: 2), attempt: 1, process: 99, status: 0),
            before: .waited(job: 1)
        )
        #expect(story.violations == ["1/2 ran as attempt 1 after it had run as attempt 1."])
    }

    @Test("The checks accept a rerun whose cause was forgotten since coordinator and worker were killed at once")
    mutating func letGoByForgotten() {
        story[0].attempt = 1
        story[1].attempt = 2
        story.remove(Story.start(0, attempt: 2, worker: 11))
        story.remove(Story.end(0, attempt: 2))
        story.insert(Story.end(0), before: .killing(process: 10))
        story.insert(
            .started(OperationAddress(job: 1, index: 0), attempt: 1, process: 99, worker: 11),
            .ended(OperationAddress(job: 1, index: 0), attempt: 1, process: 99, status: 0),
            Story.start(1, attempt: 2, worker: 11),
            Story.end(1, attempt: 2),
            before: Story.start(2, worker: 11)
        )
        let needless = "1/1 ran again as attempt 2, though attempt 1 neither failed nor lost its worker."
        #expect(story.violations.contains(needless))
        story.insert(.killing(process: 9), .gone(process: 9), before: .killing(process: 10))
        story.journal.insert(.born(process: 9, name: "coordinator-1"), at: 0)
        #expect(story.violations == [])
    }

    @Test(
        "The checks accept a repeated attempt number only if coordinator and worker were killed before it was recorded"
    )
    mutating func forgotten() {
        story[0].attempt = 1
        story.remove(Story.start(0, attempt: 2, worker: 11))
        story.remove(Story.end(0, attempt: 2))
        let again: [JournalEntry] = [
            .started(OperationAddress(job: 1, index: 0), attempt: 1, process: 99, worker: 11),
            .ended(OperationAddress(job: 1, index: 0), attempt: 1, process: 99, status: 0),
        ]
        // The dependent had started, too.
        story.insert(Story.end(0), before: .killing(process: 10))
        story.journal.append(contentsOf: again)
        story.remove(.waited(job: 1))
        #expect(
            story.violations == [
                "1/1 started before attempt 1 of 1/0 ended, on which it depends.",
                "1/0 ran as attempt 1 after it had run as attempt 1.",
            ]
        )
        story.insert(
            .killing(process: 9),
            .gone(process: 9),
            before: .killing(process: 10)
        )
        story.journal.insert(.born(process: 9, name: "coordinator-1"), at: 0)
        #expect(story.violations == [])
        story.evidence.journal = Journal(story.journal)
        #expect(story.evidence.forgotten() == 1)
        // A coordinator that had taken over before the start knows of the execution.
        story.journal.removeAll { $0 == .killing(process: 9) || $0 == .gone(process: 9) }
        story.journal.insert(
            contentsOf: [.killing(process: 9), .gone(process: 9), .born(process: 8, name: "coordinator-2")]
                + Array(repeating: .joined(name: "w9"), count: Journal.handover),
            at: story.journal.firstIndex(of: Story.start(0, worker: 10)) ?? 0
        )
        #expect(story.violations.contains("1/0 ran as attempt 1 after it had run as attempt 1."))
        story.remove(.born(process: 8, name: "coordinator-2"))
        story.insert(.born(process: 8, name: "coordinator-2"), before: .killing(process: 10))
        #expect(story.violations == [])
    }

    @Test("The checks find a command that outlives its worker or starts after its worker's end")
    mutating func survivor() {
        story.insert(Story.end(0), before: Story.start(0, attempt: 2, worker: 11))
        #expect(story.violations == ["1/0 went on in process 101 after its worker, 10, was gone."])
        story = Story()
        story.remove(Story.start(0, worker: 10))
        story.insert(Story.start(0, worker: 10), before: Story.start(0, attempt: 2, worker: 11))
        #expect(story.violations.first == "1/0 started in process 101 after its worker, 10, was gone.")
    }

    // MARK: - Limits

    @Test("The checks find more operations at once than the limit of a queue or the slots of a worker")
    mutating func limits() {
        story[planned: 2].dependencies = []
        story.remove(Story.start(2, worker: 11))
        story.insert(Story.start(2, worker: 11), before: Story.end(1))
        #expect(
            story.violations == [
                "The queue q ran 2 operations at once when 1/2 started; its limit is 1.",
                "The worker in process 11 ran 2 operations at once when 1/2 started; it has 1 slots.",
            ]
        )
    }

    @Test("The checks count an operation towards the limit of its queue no longer than its worker lives")
    mutating func limitAfterKill() {
        #expect(story.violations == [])
        story.remove(.killing(process: 10))
        story.remove(.gone(process: 10))
        story.insert(Story.end(0), before: Story.start(1, worker: 11))
        #expect(story.violations.contains("The queue q ran 2 operations at once when 1/0 started; its limit is 1."))
    }

    @Test("The checks count a cancelled operation without a reported end towards no limit")
    mutating func cancelledWhileRunning() {
        story.evidence.askedToCancel = ["1/1"]
        story[1].outcome = "cancelled"
        story.remove(Story.end(1))
        story.journal += [.killing(process: 11), .gone(process: 11)]
        #expect(story.violations == [])
    }

    // MARK: - Cancellations

    @Test(
        "The checks find a start after the acknowledgement of a cancellation, by the recorded time of the start",
        arguments: [nil, 2]
    )
    mutating func startAfterCancellation(index: Int?) {
        story.insert(.cancelled(job: 1, index: index, at: "T5"), before: Story.start(2, worker: 11))
        let violation = "1/2 started as attempt 1 after its cancellation had been acknowledged."
        story.evidence.askedToCancel = ["1"]
        story[2].outcome = "cancelled"
        #expect(story.violations == [violation])
        story[2].startedAt = "T6"
        #expect(story.violations == [violation])
        // Baton had started the command before; the command wrote its first line later.
        story[2].startedAt = "T4"
        #expect(story.violations == [])
        story[2].attempt = 0
        #expect(story.violations.contains(violation))
    }

    @Test("The checks report an incident that the tool itself observed")
    mutating func incidents() {
        story.evidence.incidents = ["w1 ended by itself with 1."]
        #expect(story.violations == ["w1 ended by itself with 1."])
    }
}
