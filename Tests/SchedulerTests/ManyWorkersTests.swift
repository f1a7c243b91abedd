@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Many workers after a restart")
struct ManyWorkersTests {
    @Test(
        "The timers of all workers that return after a restart are accounted for",
        arguments: [1, 64, 65, 66, 200, 1000]
    )
    func timers(count: Int) {
        func id(_ number: Int) -> WorkerID { WorkerID(rawValue: UInt64(number) + 1) }
        let names = (0..<count).map { "w\($0)" }
        let starts = [
            UInt32(1): CoordinatorStart(Incarnation(rawValue: 4), firstJob: JobNumber(1)),
            2: CoordinatorStart(Incarnation(rawValue: 5), firstJob: JobNumber(2)),
        ]
        // An unfinished job keeps the window open until the last worker has returned.
        let submission = Submission(templates: [Template(work: Work(.noOperation))], entries: [Entry()])
        let job = JobRecord(number: JobNumber(1), submittedAt: Timestamp(rawValue: 0), order: 1, submission: submission)
        var scheduler = Scheduler(
            epoch: 2,
            nextJob: JobNumber(2),
            queues: [:],
            jobs: [RestoredJob(job: job, records: [])],
            ends: [:],
            finished: JobCounts(),
            workers: Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, WorkerRecord(id: id($0))) }),
            starts: starts,
            at: Timestamp(rawValue: 0)
        )
        #expect(scheduler.violations() == [])
        for (number, name) in names.enumerated() {
            let session = SessionID(rawValue: UInt64(number) + 1)
            let worker = WorkerIntroduction(name: name, session: session, slots: 1, id: id(number))
            _ = scheduler.apply(.workerJoined(worker), at: Timestamp(rawValue: Int64(number)))
        }
        #expect(!scheduler.reconciliation.isOpen)
        #expect(scheduler.violations() == [])
        // All timers come due, and none is stale without being counted.
        _ = scheduler.apply(.timePassed, at: Timestamp(rawValue: 0) + .seconds(3600))
        #expect(scheduler.violations() == [])
    }
}

extension ManyWorkersTests {
    @Test("The timers of failing workers that leave one after the other are accounted for")
    func failing() {
        var scheduler = Scheduler()
        let count = 200
        func session(_ number: Int) -> SessionID { SessionID(rawValue: UInt64(number) + 1) }
        for number in 0..<count {
            let id = WorkerID(rawValue: UInt64(number) + 1)
            let worker = WorkerIntroduction(name: "w\(number)", session: session(number), slots: 1, id: id)
            _ = scheduler.apply(.workerJoined(worker), at: Timestamp(rawValue: 0))
            _ = scheduler.apply(.workerHealth(session(number), fault: "No disk."), at: Timestamp(rawValue: 0))
        }
        // Each worker has a timer for its silence and a timer for its trial.
        #expect(scheduler.timers.all.count == 2 * count)
        for number in 0..<count {
            _ = scheduler.apply(.workerLeft(session(number)), at: Timestamp(rawValue: 1))
            #expect(scheduler.violations() == [])
        }
    }
}
