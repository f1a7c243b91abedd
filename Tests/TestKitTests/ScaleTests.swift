@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker

@testable import BatonTestKit

@Suite("A test cluster: many operations", .serialized, .timeLimit(.minutes(60)))
struct ScaleTests {
    @Test("100,000 operations that do nothing are finished when the cluster is quiet")
    func nothing() async throws {
        try await TestRun.run(slots: 8) { run in
            let submission = Submission(
                templates: [Template(work: Work(.noOperation))],
                entries: (0..<100_000).map { position in
                    Entry(dependencies: position % 3 == 0 ? [] : [Dependency(on: .entry(position - 1))])
                }
            )
            let job = try await run.channel.submit(submission).number
            await run.test.advance(by: .zero)
            let progress = try await run.channel.progress(of: [.job(job)], atMost: .zero)
            #expect(progress.isFinished && progress.counts.succeeded == 100_000)
            #expect(run.test.now == .zero)
        }
    }

    @Test("10,000 functions")
    func functions() async throws {
        try await TestRun.run(slots: 8, ["echo": { $0.argument }]) { run in
            let job = try await run.submit((0..<10_000).map { Planned("echo", "\($0)") })
            await run.test.advance(by: .zero)
            let progress = try await run.channel.progress(of: [.job(job)], atMost: .zero)
            #expect(progress.counts.succeeded == 10_000)
            #expect(
                try await run.channel.result(of: .operation(OperationID(job: job, index: 9_999))) == Array("9999".utf8)
            )
        }
    }

    @Test("Several tasks submit, wait and cancel at once")
    func atOnce() async throws {
        try await TestRun.run(slots: 4, ["echo": { $0.argument }]) { run in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let channel = number.isMultiple(of: 2) ? run.channel : run.test.channel()
                        var finished = 0
                        for round in 0..<100 {
                            let plan = [Planned("echo", "\(round)"), Planned(.noOperation).with { $0.after = [0] }]
                            let job = try await channel.submit(TestRun.submission(plan, queue: "q\(number)")).number
                            if round % 5 == 0 { _ = try await channel.change(.cancel([.job(job)], queue: nil)) }
                            let end = try await channel.wait(for: [.job(job)], every: .seconds(60))
                            finished += end.counts.finished
                        }
                        return finished
                    }
                }
                group.addTask {
                    for _ in 0..<20 {
                        await run.test.advance(by: .seconds(1))
                        try await run.test.restartCoordinator()
                    }
                    return 0
                }
                var finished = 0
                for try await count in group { finished += count }
                #expect(finished == 8 * 100 * 2)
            }
        }
    }
}
