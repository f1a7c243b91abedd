@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import Baton

@Suite("Schedules of a program")
struct ScheduleTests {
    private let channel = FakeChannel()

    /// Answers the next request once it is there.
    private func answer(_ reply: Reply) async -> Request? {
        while channel.requests.isEmpty { await Task.yield() }
        return channel.answer(.success(reply))
    }

    @Test("SC1 Operations are patterns of a schedule's jobs, with their dependencies, and stay free")
    func patterns() throws {
        let cluster = channel.makeCluster()
        let (first, second) = (CommandOperation("a").named("first"), CommandOperation("b"))
        second.addDependency(first, requiring: .success)
        second.queuePriority = .high
        for _ in 0..<2 {
            let operations = [first, second, CommandOperation("a")]
            let submission = try ScheduledOperations.submission(of: operations, inQueue: "q")
            #expect(submission.queueNames == ["q"])
            #expect(submission.templates.count == 2)
            #expect(submission.entries.map(\.template) == [0, 1, 0])
            #expect(submission.entries[0].name == "first")
            #expect(submission.entries[1].priority == .high)
            #expect(submission.entries[1].dependencies == [Dependency(on: .entry(0), condition: .success)])
        }
        #expect(throws: ClusterError.self) { try ScheduledOperations.submission(of: [second], inQueue: "q") }
        #expect(throws: ClusterError.self) { try ScheduledOperations.submission(of: [], inQueue: "q") }
        try cluster.queue("q").addOperations([first, second], waitUntilFinished: false)
        #expect(channel.submissions.count == 1)
    }

    @Test("SC1 A program adds a schedule, runs and removes it")
    func requests() async throws {
        let cluster = channel.makeCluster()
        async let added = cluster.addSchedule(
            "nightly",
            cron: "0 2 * * *",
            timeZone: "Europe/Berlin",
            overlap: .queue,
            catchUp: .none,
            operations: [CommandOperation("a")]
        )
        guard case .addSchedule(let settings, _)? = await answer(.changed(ChangeReport(changed: 1))) else {
            Issue.record("no schedule was added")
            return
        }
        #expect(settings.cron.description == "0 2 * * *")
        #expect(settings.timeZone == "Europe/Berlin")
        #expect(settings.overlap == .queue)
        #expect(settings.catchUp == .nothing)
        let schedule = try await added
        #expect(schedule.name == "nightly")
        async let job = schedule.run()
        guard case .startSchedule("nightly", _)? = await answer(.job(JobNumber(7), operations: 1, isNew: true)) else {
            Issue.record("nothing was started")
            return
        }
        #expect(try await job.number == 7)
        async let removed: Void = schedule.remove()
        #expect(await answer(.changed(ChangeReport(changed: 1))) == .changeSchedule("nightly", .remove))
        try await removed
    }
}
