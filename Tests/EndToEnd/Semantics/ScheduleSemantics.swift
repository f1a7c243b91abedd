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
                    (["--cron=@daily", "--tag=schedule=fake"], 65, "Leave this tag out"),
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

        @Test(
            "SC2 A local time that clocks leave out or show twice is one of the next five times, once",
            arguments: ClusterShape.tested
        )
        func sc2(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                // The clocks of Berlin change on the last Sunday of each of these months. Its Sundays are at most five.
                for (name, month) in [("spring", "3"), ("autumn", "10")] {
                    let times = "--cron=30 2 * \(month) sun"
                    let add = ["schedule", "add", name, times, "--time-zone=Europe/Berlin", "--", "true"]
                    #expect(try await cluster.baton(add).status == 0)
                }
                let spring = try await cluster.json("schedule", "show", "spring").next.elements.map(\.string)
                #expect(spring.count == 5)
                for time in spring {
                    // From 2:00 the clocks go to 3:00, which is 1:00 in UTC; on the Sundays before, 2:30 is 1:30 in UTC.
                    let isOfChange = (25...31).contains(Int(time.dropFirst(8).prefix(2)) ?? 0)
                    let expected = isOfChange ? "T01:00:00" : "T01:30:00"
                    #expect(time.contains(expected), "\(spring)")
                }
                #expect(spring.contains { $0.contains("T01:00:00") }, "\(spring)")
                let autumn = try await cluster.json("schedule", "show", "autumn").next.elements.map(\.string)
                // From 3:00 the clocks go to 2:00, so that 2:30 is 0:30 and 1:30 in UTC.
                #expect(autumn.count == 5 && autumn.allSatisfy { $0.contains("T00:30:00") }, "\(autumn)")
                #expect(Set(autumn).count == 5, "\(autumn)")
                for name in ["spring", "autumn"] { try await cluster.change("schedule", "remove", name, count: 1) }
            }
        }
    }
}
