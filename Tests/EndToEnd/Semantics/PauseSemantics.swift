import Foundation
import Testing

extension SemanticsTests {
    @Suite("Pauses and signals")
    struct Pauses {
        /// The shell commands of an operation that ends on SIGUSR1 and on SIGTERM.
        private static func endingOnSignal(at gate: Gate) -> String {
            "trap 'exit 4' USR1; trap 'exit 5' TERM; \(gate.checkIn); \(Gate.awaitSignal)"
        }

        @Test(
            "RT6 A paused operation stands still over a restart of the coordinator, until it is continued",
            arguments: ClusterShape.tested
        )
        func rt6(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(script: Self.endingOnSignal(at: gate), "--timeout", "1h")
                let waiting = try await cluster.submit("--hold", "--", "true")
                try await gate.open()
                try await cluster.change("pause", job, count: 1)
                try await cluster.change("pause", job, count: 0)
                try await cluster.change("pause", waiting, count: 0)
                let paused = try await cluster.show("\(job)/0")
                #expect(paused.state == "executing" && paused.paused.since != .null, "\(paused)")
                try await cluster.restartCoordinator(with: SIGKILL)
                #expect(try await cluster.show("\(job)/0").paused == paused.paused)
                let explained = try await cluster.baton("explain", "\(job)/0").output
                #expect(explained.contains("but paused") && explained.contains("baton resume \(job)/0"), "\(explained)")
                #expect(try await cluster.baton("show", "\(job)/0").output.contains("paused:"))
                // The process gets the signal once it goes on.
                try await cluster.change("signal", job, "USR1", count: 1)
                #expect(try await cluster.show("\(job)/0").state == "executing")
                try await cluster.change("resume", job, count: 1)
                #expect(try await cluster.wait(job) == 1)
                let ended = try await cluster.show("\(job)/0")
                #expect((ended.exitStatus, ended.attempt, ended.paused) == (4, 1, .null))
                try await cluster.change("cancel", waiting, count: 1)
            }
        }

        @Test("RT6 A paused operation that is cancelled goes on, and ends as it wants", arguments: ClusterShape.tested)
        func rt6Cancelled(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(script: Self.endingOnSignal(at: gate), "--grace", "forever")
                try await gate.open()
                try await cluster.change("pause", job, count: 1)
                try await cluster.change("cancel", job, count: 1)
                #expect(try await cluster.wait(job) == 1)
                let ended = try await cluster.show("\(job)/0")
                #expect((ended.outcome, ended.exitStatus) == ("cancelled", 5))
            }
        }

        @Test("RT7 A signal reaches what executes, and unknown ones are refused", arguments: ClusterShape.tested)
        func rt7(_ shape: ClusterShape) async throws {
            try await withCluster(shape) { cluster in
                let gate = try cluster.gate()
                let job = try await cluster.submit(script: Self.endingOnSignal(at: gate))
                try await gate.open()
                for unknown in ["STOP", "SIGCONT", "10", "none"] {
                    #expect(try await cluster.baton("signal", job, unknown).status == 64, "\(unknown)")
                }
                try await cluster.change("signal", "\(job)/0", "sigusr1", count: 1)
                #expect(try await cluster.wait(job) == 1)
                let ended = try await cluster.show("\(job)/0")
                #expect((ended.outcome, ended.exitStatus) == ("failed", 4))
                try await cluster.change("signal", job, "HUP", count: 0)
            }
        }
    }
}
