@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import baton_cli

@Suite("Events for people")
struct EventTextTests {
    private let operation = OperationID(job: JobNumber(12), index: 1)

    /// The text of a line after its time.
    private func line(_ subject: ClusterEvent.Subject, by: String? = nil) -> String {
        let time = Timestamp.now
        var text = EventText(style: .plain, today: time.localDay)
        let line = text.line(for: EventDocument(ClusterEvent(sequence: 1, time: time, by: by, subject: subject)))
        #expect(line.hasPrefix(time.localClock + "  "))
        return String(line.dropFirst(time.localClock.count + 2))
    }

    private func line(_ change: ClusterEvent.OperationChange, by: String? = nil) -> String {
        line(.operations(operation, count: 1, change), by: by)
    }

    @Test("Each change of an operation is one line of text")
    func operations() {
        #expect(line(.state(.pending, outcome: nil, attempt: 0, worker: nil)) == "12/1           pending")
        #expect(line(.state(.ready, outcome: nil, attempt: 1, worker: nil)) == "12/1           ready (after attempt 1)")
        #expect(
            line(.state(.executing, outcome: nil, attempt: 1, worker: "w1"))
                == "12/1           executing on w1 (attempt 1)"
        )
        #expect(
            line(.state(.finished, outcome: .failed, attempt: 2, worker: "w1"))
                == "12/1           finished: failed on w1 (attempt 2)"
        )
        #expect(
            line(.state(.finished, outcome: .skipped, attempt: 0, worker: nil)) == "12/1           finished: skipped"
        )
        #expect(line(.cancelled) == "12/1           cancellation requested")
        #expect(line(.held(true)) == "12/1           held")
        #expect(line(.held(false)) == "12/1           released")
        #expect(line(.paused(true)) == "12/1           paused")
        #expect(line(.paused(false)) == "12/1           continued")
        #expect(line(.signalled(.hangUp)) == "12/1           signal HUP sent")
        #expect(line(.priority(.veryHigh)) == "12/1           priority veryHigh")
        #expect(line(.dependencies) == "12/1           dependencies changed")
        #expect(line(.commands) == "12/1           command added")
        #expect(
            line(.progress(OperationProgress(fraction: 0.5, message: "half\n\u{1B}[2J")))
                == "12/1           50% half  [2J"
        )
    }

    @Test("Events of jobs, queues and workers begin with the kind and the name")
    func others() {
        var counts = JobCounts()
        counts.succeeded = 2
        counts.failed = 1
        #expect(line(.jobSubmitted(JobNumber(12), operations: 1)) == "job 12         submitted with one operation")
        #expect(line(.jobSubmitted(JobNumber(12), operations: 3)) == "job 12         submitted with 3 operations")
        #expect(line(.jobFinished(JobNumber(12), counts)) == "job 12         finished: 2 succeeded, 1 failed")
        #expect(line(.queue("q", QueueSettings())) == "queue q        no limit")
        #expect(
            line(.queue("q", QueueSettings(maxConcurrent: 4, qualityOfService: .utility, isSuspended: true, total: 9)))
                == "queue q        limit 4, class utility, total 9, suspended"
        )
        #expect(line(.operationsAdded(JobNumber(12), first: 4, count: 1)) == "job 12         operation 4 added")
        #expect(
            line(.operationsAdded(JobNumber(12), first: 4, count: 3)) == "job 12         3 operations added, from 4 on"
        )
        #expect(line(.jobClosed(JobNumber(12))) == "job 12         closed")
        #expect(line(.queueDeleted("q")) == "queue q        deleted")
        #expect(line(.limit(LimitChange("licence", units: 3))) == "limit licence  3 units")
        #expect(line(.limit(LimitChange("licence", units: 1))) == "limit licence  1 unit")
        #expect(line(.limit(LimitChange("licence", units: nil))) == "limit licence  removed")
        #expect(line(.worker("w1", .lost)) == "worker w1      lost")
    }

    @Test("A change that somebody asked for ends with the requester in parentheses")
    func requesters() {
        #expect(line(.cancelled, by: "laptop") == "12/1           cancellation requested (by laptop)")
        #expect(line(.held(true), by: "12/3") == "12/1           held (by 12/3)")
        #expect(
            line(.jobSubmitted(JobNumber(12), operations: 1), by: "laptop")
                == "job 12         submitted with one operation (by laptop)"
        )
        #expect(
            line(.queue("q", QueueSettings(maxConcurrent: 4)), by: "laptop") == "queue q        limit 4 (by laptop)"
        )
    }

    @Test("The columns stay aligned after a long name, up to a limit")
    func columns() {
        var text = EventText(style: .plain, today: Timestamp.now.localDay)
        func column(_ subject: ClusterEvent.Subject) -> Int {
            let line = text.line(for: EventDocument(ClusterEvent(sequence: 1, time: .now, subject: subject)))
            return line.count - "alive".count - Timestamp.now.localClock.count
        }
        #expect(column(.worker("w", .alive)) == 17)
        #expect(column(.worker("worker-of-host", .alive)) == 25)
        #expect(column(.worker("w", .alive)) == 25)
        // 80 characters of a name are shown.
        #expect(column(.worker(String(repeating: "w", count: 100), .alive)) == 91)
        #expect(column(.worker("w", .alive)) == 28)
    }

    @Test("An event of another day has the date on a line before it")
    func days() {
        let noon = Timestamp.now
        var text = EventText(style: .plain, today: noon.localDay)
        func line(daysLater: Int) -> String {
            let event = ClusterEvent(
                sequence: 1,
                time: noon + .seconds(86_400 * daysLater),
                subject: .worker("w", .alive)
            )
            return text.line(for: EventDocument(event))
        }
        #expect(!line(daysLater: 0).contains("\n"))
        let later = (noon + .seconds(86_400 * 3)).localDay
        #expect(line(daysLater: 3).hasPrefix(later + "\n"))
        #expect(!line(daysLater: 3).contains("\n"))
        #expect(line(daysLater: 0).hasPrefix(noon.localDay + "\n"))
    }

    @Test("Missed events are reported in a sentence with the last number")
    func missed() {
        var text = EventText(style: .plain)
        #expect(
            text.line(for: EventDocument(missed: 40, last: 811))
                == "40 events were missed, up to number 811: they are no longer kept."
        )
        #expect(
            text.line(for: EventDocument(missed: 1, last: 7)) == "Event 7 was missed: it is no longer kept."
        )
    }

    @Test("An event about several operations is recognised, and a count in another event is not")
    func counts() {
        func isAboutSeveral(_ subject: ClusterEvent.Subject) -> Bool {
            EventPrinter.isAboutSeveral(
                EventDocument(ClusterEvent(sequence: 1, time: .now, subject: subject)).json[...]
            )
        }
        #expect(isAboutSeveral(.operations(operation, count: 2, .cancelled)))
        #expect(!isAboutSeveral(.operations(operation, count: 1, .cancelled)))
        #expect(!isAboutSeveral(.jobFinished(JobNumber(1), JobCounts())))
        let message = #"","count":2"#
        #expect(
            !isAboutSeveral(
                .operations(operation, count: 1, .progress(OperationProgress(fraction: 0, message: message)))
            )
        )
    }
}
