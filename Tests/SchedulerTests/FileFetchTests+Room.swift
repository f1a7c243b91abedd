@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

/// Which workers without room an operation waits for.
extension FileFetchTests {
    /// A template whose operations ask for a zone.
    private static func template(inZone zone: String) -> Template {
        var template = Template.leavingFiles
        template.labels = ["zone=\(zone)"].compactMap { LabelCondition($0) }
        return template
    }

    @Test("FI4 An operation waits for room at no worker that cannot take it", arguments: [2, 3, 7])
    func noRoomElsewhere(zones: Int) {
        var cluster = Cluster(Configuration(sendAhead: .atMost(0)))
        cluster.join("w0", id: WorkerID(rawValue: 1))
        cluster.suspend("b")
        let templates = [Template.leavingFiles] + (1...zones).map { Self.template(inZone: "z\($0)") }
        let dependents = (1...zones).map { Entry.op(queue: 1, template: $0, on: .needs(0)) }
        let submission = Submission(
            queueNames: ["a", "b"],
            templates: templates,
            entries: [Entry.op()] + dependents
        )
        _ = cluster.answer(to: submission)
        let job = JobNumber(1)
        cluster.finish(job / 0, leaving: KeptFile("a.bam", 1))
        var sessions: [SessionID] = []
        for zone in 1...zones {
            let id = WorkerID(rawValue: UInt64(zone) + 1)
            let session = cluster.join("w\(zone)", id: id, offer: WorkerOffer(labels: ["zone": "z\(zone)"]))
            cluster.delayFetches(of: job / zone, at: session)
            cluster.delayMessages(to: session)
            sessions.append(session)
        }
        cluster.resume("b")
        for zone in 1...zones {
            guard let attempt = cluster.sent.last(where: { $0.operation == job / zone }),
                attempt.session == sessions[zone - 1]
            else {
                Issue.record("The operation \(zone) was not sent to the worker of its zone.")
                return
            }
            cluster.workers[attempt.session]?.inbox = []
            cluster.report(attempt, .noRoom(RoomLack(wanted: 1000, limit: 1500, taken: 700), hasRun: false))
        }
        for zone in 1...zones {
            let waits = (cluster.scheduler.impediments(of: job / zone) ?? []).filter { wait in
                if case .noRoom = wait { true } else { false }
            }
            let wait = Impediment.noRoom(worker: "w\(zone)", reason: Scheduler.noRoomForFiles, others: 0)
            #expect(waits == [wait])
        }
    }
}
