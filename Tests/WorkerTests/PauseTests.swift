@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Paused attempts and signals of a worker", .timeLimit(.minutes(60)))
struct PauseTests {
    @Test("RT6 A paused command that is cancelled goes on, and ends as it wants")
    func cancelled() async throws {
        try await WorkerTest.run { test in
            let started = try Gate(test.directory + "/started")
            // A child that is forked, and has yet to become sleep, would take the signal for itself, and outlive it.
            let ending = "trap 'kill -9 $!; exit 7' TERM"
            var work = Work.shell("\(ending); echo >'\(started.path)'; while :; do sleep 1000 & wait; done")
            work.gracePeriod = .forever
            let item = try test.coordinator.dispatch(work)
            _ = try started.await()
            try test.coordinator.send(.pauses([item.token]))
            try test.coordinator.send(.cancel([item.token]))
            #expect(try test.coordinator.completions()[0].result.end == .cancelled(exitStatus: 7, signal: nil))
        }
    }

    @Test("RT7 A signal reaches the command, also while it is paused, and then has its effect when it goes on")
    func signal() async throws {
        try await WorkerTest.run { test in
            let started = try Gate(test.directory + "/started")
            let script = "trap 'exit 9' USR1; echo >'\(started.path)'; while :; do sleep 1000 & wait; done"
            for isPaused in [false, true] {
                let item = try test.coordinator.dispatch(.shell(script))
                _ = try started.await()
                if isPaused { try test.coordinator.send(.pauses([item.token])) }
                try test.coordinator.send(.signal([item.token], .user1))
                if isPaused { try test.coordinator.send(.pauses([])) }
                #expect(try test.coordinator.completions()[0].result.end == .exited(9))
            }
        }
    }

    @Test("RT7 SIGKILL ends a paused command at once")
    func killed() async throws {
        try await WorkerTest.run { test in
            let started = try Gate(test.directory + "/started")
            let item = try test.coordinator.dispatch(.shell("echo >'\(started.path)'; while :; do sleep 1000; done"))
            _ = try started.await()
            try test.coordinator.send(.pauses([item.token]))
            try test.coordinator.send(.signal([item.token], .kill))
            #expect(try test.coordinator.completions()[0].result.end == .signalled(9))
        }
    }
}
