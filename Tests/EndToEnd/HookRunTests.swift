import Foundation
import Testing

extension EndToEndTests {
    /// What users see of the runs of completion hooks, and how they end one.
    @Suite("Runs of completion hooks", .timeLimit(.minutes(60)))
    struct HookRunTests {
        @Test("A hook that fails is shown with its status and its last errors, and logged, also after a restart")
        func failed() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit(
                    graph: """
                        { hooks: { finish: "echo none >&2; exit 4" },
                          operations: [ { command: "true", onFinish: "echo one >&2; echo two >&2; exit 3" } ] }
                        """
                )
                let line = try await cluster.coordinator?.error(containing: "operation=\(job)/0")
                #expect(
                    line?.contains("It exited with status 3.") == true && line?.contains("two") == true,
                    "\(line ?? "")"
                )
                try await cluster.coordinator?.error(containing: "hook=finish")
                for isRestarted in [false, true] {
                    if isRestarted { try await cluster.restartCoordinator(with: SIGKILL) }
                    let hook = try await cluster.show("\(job)/0").hook
                    #expect((hook.state, hook.exitStatus, hook.stderr) == ("failed", 3, "one\ntwo\n"))
                    #expect(hook.finishedAt != .null && hook.worker == "w1")
                    let shown = try await cluster.show(job)
                    #expect((shown.hookRuns.finish.state, shown.hookRuns.finish.exitStatus) == ("failed", 4))
                    #expect(shown.operations.elements.first?.hook == hook)
                    let text = try await cluster.baton("show", job).output
                    #expect(text.contains("hooks failed:") && text.contains("It exited with status 4."), "\(text)")
                }
                let text = try await cluster.baton("show", "\(job)/0").output
                #expect(text.contains("It exited with status 3.") && text.contains(" one\nhook stderr: "), "\(text)")
            }
        }

        @Test("A hook that hangs is shown as executing; cancel ends it, and the job can be deleted then")
        func hangs() async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit("--on-finish", "echo stuck >&2; \(gate.wait)", "--", "true")
                try await gate.arrival()
                #expect(try await cluster.wait(job) == 0)
                let hook = try await cluster.show("\(job)/0").hook
                #expect((hook.state, hook.worker, hook.finishedAt) == ("executing", "w1", .null))
                let refusal = try await cluster.baton("delete", job)
                #expect(refusal.status == 65 && refusal.errors.contains("cancel the job"), "\(refusal)")
                let cancelled = try await cluster.baton("cancel", job)
                #expect(
                    cancelled.status == 0 && cancelled.errors.contains("completion hook of \(job)/0"),
                    "\(cancelled)"
                )
                try await cluster.coordinator?.error(containing: "Its cancellation was asked for.")
                let ended = try await cluster.show("\(job)/0")
                #expect((ended.hook.state, ended.hook.stderr, ended.outcome) == ("cancelled", "stuck\n", "succeeded"))
                #expect(try await cluster.baton("delete", job).status == 0)
            }
        }
    }
}
