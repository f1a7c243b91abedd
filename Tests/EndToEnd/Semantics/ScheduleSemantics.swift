import Foundation
import Testing

extension SemanticsTests {
    @Suite("Schedules")
    struct Schedules {
        @Test(
            "SC1 A schedule starts a job at its time, also after its coordinator was killed",
            arguments: ClusterShape.tested
        )
        func sc1(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let refused = [
                    (["--cron=0 0 30 2 *"], Int32(64), "no date that ever comes"),
                    (["--cron=0 25 * * *"], 64, "the hour"),
                    (["--cron=@daily", "--time-zone=Europe/Nowhere"], 65, "no time zone"),
                    (["--cron=@daily", "--needs=1"], 65, "cannot depend on another job"),
                    (["--cron=@daily", "--key=mine"], 64, "--key"),
                ]
                for (options, status, part) in refused {
                    let result = try await cluster.baton(["schedule", "add", "bad"] + options + ["--", "true"])
                    #expect(result.status == status && result.errors.contains(part), "\(result)")
                }
                #expect(try await cluster.baton("schedule", "show", "bad").status == 66)
                #expect(try await cluster.json("schedule", "list").schedules == [])

                let add = ["schedule", "add", "minutely", "--cron=* * * * *", "--tag=kind=test", "--", "true"]
                #expect(try await cluster.baton(add).status == 0)
                #expect(try await cluster.baton("schedule", "run", "minutely").line == "1")
                #expect(try await cluster.wait("1") == 0)
                try await cluster.restartCoordinator(with: SIGKILL)
                // At the next full minute.
                _ = try await cluster.watch().lines(toEndOf: "2/0")
                let schedule = try await cluster.json("schedule", "show", "minutely")
                #expect(schedule.next.elements.count == 5)
                #expect(schedule.lastJob.int >= 2)
                try await cluster.change("schedule", "remove", "minutely", count: 1)
                let jobs = try await cluster.json("list", "--tag", "schedule=minutely").jobs.elements
                #expect(jobs.count >= 2)
                #expect(jobs.allSatisfy { $0.tags.kind == "test" })
                #expect(try await cluster.json("schedule", "list").schedules == [])
            }
        }
    }
}
