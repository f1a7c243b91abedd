import Foundation
import Glibc
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Ends of attempts and of a worker", .serialized, .timeLimit(.minutes(60)))
struct EndingTests {
    @Test(
        "CA4 CA16 A cancelled command gets SIGTERM, and is reported as cancelled with its exit status",
        arguments: [0, 9]
    )
    func cancel(_ status: Int32) async throws {
        try await WorkerTest.run { test in
            let started = try Gate(test.directory + "/started")
            let script =
                "trap 'echo asked; echo r > $BATON_RESULT; exit \(status)' TERM; echo >'\(started.path)'; while :; do sleep 1; done"
            let item = try test.coordinator.dispatch(.shell(script))
            _ = try started.await()
            try test.coordinator.send(.cancel([item.token]))
            let result = try test.coordinator.completions()[0].result
            #expect(result.end == .cancelled(exitStatus: status, signal: nil))
            #expect(result.result == nil)
            #expect(result.standardOutput.text == "asked\n")
        }
    }

    @Test("CA4 A cancelled command that ignores SIGTERM is killed after its grace period")
    func grace() async throws {
        try await WorkerTest.run { test in
            let started = try Gate(test.directory + "/started")
            var work = Work.shell("trap '' TERM; echo >'\(started.path)'; while :; do sleep 1; done")
            work.gracePeriod = .after(.milliseconds(50))
            let item = try test.coordinator.dispatch(work)
            _ = try started.await()
            try test.coordinator.send(.cancel([item.token]))
            #expect(try test.coordinator.completions()[0].result.end == .cancelled(exitStatus: nil, signal: SIGKILL))
        }
    }

    @Test("CA4 A command is asked to end with its stop signal")
    func stopSignal() async throws {
        try await WorkerTest.run { test in
            let started = try Gate(test.directory + "/started")
            // A child that is forked, and has yet to become sleep, would take the signal for itself, and outlive it.
            let ending = "trap 'kill -9 $!; exit 7' USR1"
            var work = Work.shell(
                "trap '' TERM; \(ending); echo >'\(started.path)'; while :; do sleep 1000 & wait; done"
            )
            work.gracePeriod = .forever
            work.stopSignal = .user1
            let item = try test.coordinator.dispatch(work)
            _ = try started.await()
            try test.coordinator.send(.cancel([item.token]))
            #expect(try test.coordinator.completions()[0].result.end == .cancelled(exitStatus: 7, signal: nil))
        }
    }

    @Test("CA15 A cancelled attempt that waits for a slot is returned at once and never runs")
    func cancelWaiting() async throws {
        try await WorkerTest.run(slots: 1) { test in
            let gate = try Gate(test.directory + "/gate")
            try test.coordinator.dispatch(.shell("read line <'\(gate.path)'"))
            let waiting = try test.coordinator.dispatch(.shell("touch '\(test.directory)/ran'"))
            try test.coordinator.send(.cancel([waiting.token]))
            try test.coordinator.awaitReturned()
            #expect(test.coordinator.returned == [waiting.token])
            try gate.open()
            _ = try test.coordinator.completions()
            // One more turn of the only slot: the cancelled attempt would have come first.
            _ = try test.coordinator.run(script: "true")
            #expect(!FileManager.default.fileExists(atPath: test.directory + "/ran"))
        }
    }

    @Test("D5 A recalled attempt that waits is returned and never runs, and a running attempt goes on")
    func recall() async throws {
        try await WorkerTest.run(slots: 1) { test in
            let gate = try Gate(test.directory + "/gate")
            let started = try Gate(test.directory + "/started")
            let script = "echo >'\(started.path)'; read line <'\(gate.path)'"
            let running = try test.coordinator.dispatch(.shell(script))
            _ = try started.await()
            let waiting = try test.coordinator.dispatch(.shell("touch '\(test.directory)/ran'"))
            try test.coordinator.send(.recall([running.token, waiting.token]))
            try test.coordinator.awaitReturned()
            #expect(test.coordinator.returned == [waiting.token])
            try gate.open()
            #expect(try test.coordinator.end(of: running.token) == .exited(0))
            _ = try test.coordinator.run(script: "true")
            #expect(!FileManager.default.fileExists(atPath: test.directory + "/ran"))
        }
    }

    @Test("CA14 An attempt that is cancelled at any moment is either returned or ended as cancelled")
    func cancelAtOnce() async throws {
        try await WorkerTest.run { test in
            for number in 1...200 {
                let item = try test.coordinator.dispatch(
                    Work(.commands([["/bin/sleep", "1000"]]), gracePeriod: .forever)
                )
                // Some cancellations come with the dispatch, and some after the start.
                if number.isMultiple(of: 2) { _ = try test.coordinator.output(of: item) }
                try test.coordinator.send(.cancel([item.token]))
                let end = try test.coordinator.end(of: item.token)
                // An attempt without a command so far has neither a status nor a signal.
                let signal: Int32? = if case .cancelled(nil, let signal)? = end { signal } else { nil }
                #expect(
                    end == nil || end == .cancelled(exitStatus: nil, signal: signal) && signal ?? SIGTERM == SIGTERM
                )
            }
        }
    }

    @Test("A command that runs longer than its timeout is ended and keeps its output")
    func timeout() async throws {
        try await WorkerTest.run { test in
            let begun = test.directory + "/begun"
            var timeout = Duration.milliseconds(300)
            // On a busy host, the timeout may be over before the shell has printed anything.
            while !FileManager.default.fileExists(atPath: begun) {
                var work = Work.shell("echo begun; : >'\(begun)'; sleep 1000")
                work.timeout = timeout
                let result = try test.coordinator.run(work)
                #expect(result.end == .timedOut)
                if FileManager.default.fileExists(atPath: begun) {
                    #expect(result.standardOutput.text == "begun\n")
                }
                timeout *= 2
            }
        }
    }

    @Test("A stopped worker interrupts its running attempt, returns the waiting attempt and leaves no child")
    func stop() async throws {
        try await WorkerTest.run(slots: 1) { test in
            let started = try Gate(test.directory + "/started")
            let script = "trap 'exit 0' TERM; echo $$ >'\(started.path)'; while :; do sleep 1; done"
            try test.coordinator.dispatch(.shell(script))
            let waiting = try test.coordinator.dispatch(.shell("true"))
            // The answer shows that the attempt has arrived.
            _ = try test.coordinator.output(of: waiting)
            let child = try #require(pid_t(try started.await()))
            test.worker.stop()
            #expect(try test.coordinator.next() == .leaving(test.coordinator.session))
            #expect(try test.coordinator.completions()[0].result.end == .stopped)
            #expect(test.coordinator.returned == [waiting.token])
            #expect(try livingMembers(ofGroup: child).isEmpty)
            guard case .goodbye(let session) = try test.coordinator.next() else {
                Issue.record("no goodbye")
                return
            }
            #expect(session == test.coordinator.session)
            try test.worker.awaitEnd()
        }
    }

    @Test("A worker that is stopped at once kills its commands without their grace period")
    func stopNow() async throws {
        try await WorkerTest.run(slots: 1) { test in
            let started = try Gate(test.directory + "/started")
            var work = Work.shell("trap '' TERM; echo $$ >'\(started.path)'; while :; do sleep 1; done")
            work.gracePeriod = .forever
            try test.coordinator.dispatch(work)
            let child = try #require(pid_t(try started.await()))
            test.worker.stop()
            test.worker.stopNow()
            try test.worker.awaitEnd()
            #expect(try livingMembers(ofGroup: child).isEmpty)
        }
    }

    @Test("A worker that is refused ends with the coordinator's sentence")
    func refused() async throws {
        try await withTemporaryDirectory { directory in
            let coordinator = try FakeCoordinator()
            let worker = try RunningWorker(.forTests(coordinator.endpoint, directory: directory))
            guard case .hello = try coordinator.next() else {
                Issue.record("hello comes first")
                return
            }
            let refusal = Refusal(.incompatible, "Upgrade the worker.")
            try coordinator.send(.refused(refusal))
            #expect(throws: WorkerError(.refused, refusal)) { try worker.awaitEnd() }
        }
    }

    @Test("A refused worker ends its running attempts, with SIGTERM and later SIGKILL, before it ends with the refusal")
    func refusedWhileRunning() async throws {
        try await withTemporaryDirectory { directory in
            let coordinator = try FakeCoordinator()
            let worker = try RunningWorker(.forTests(coordinator.endpoint, directory: directory))
            try coordinator.greet()
            let started = try Gate(directory + "/started")
            let mild = "trap 'echo asked >\(directory)/asked; exit 0' TERM"
            var children: [pid_t] = []
            let kinds: [(trap: String, grace: GracePeriod)] = [
                (mild, .forever), ("trap '' TERM", .after(.milliseconds(50))),
            ]
            for (trap, grace) in kinds {
                var work = Work.shell("\(trap); echo $$ >'\(started.path)'; while :; do sleep 1; done")
                work.gracePeriod = grace
                try coordinator.dispatch(work)
                children.append(try #require(pid_t(try started.await())))
            }
            // Nobody can start it any more: both slots are taken.
            try coordinator.dispatch(.shell("touch '\(directory)/ran'"))
            let refusal = Refusal(.notAllowed, "The key was revoked.")
            try coordinator.send(.refused(refusal))
            #expect(throws: WorkerError(.refused, refusal)) { try worker.awaitEnd() }
            #expect(FileManager.default.fileExists(atPath: directory + "/asked"))
            #expect(!FileManager.default.fileExists(atPath: directory + "/ran"))
            for child in children { #expect(try livingMembers(ofGroup: child).isEmpty) }
            coordinator.close()
        }
    }

    @Test("A worker with an invalid coordinator address is refused with an error that names the address")
    func badAddress() async throws {
        try await withTemporaryDirectory { directory in
            let error = #expect(throws: WorkerError.self) {
                try WorkerProcess(.forTests("nonsense", directory: directory))
            }
            #expect(error?.code == .invalid)
            #expect(error?.description.contains("nonsense") == true)
        }
    }

    @Test("A worker with an invalid name, without slots or with an unusable directory is refused")
    func badOptions() async throws {
        try await withTemporaryDirectory { directory in
            func code(_ change: (inout WorkerOptions) -> Void) -> WorkerError.Code? {
                var options = WorkerOptions.forTests("tcp://127.0.0.1:1", directory: directory)
                change(&options)
                do throws(WorkerError) {
                    _ = try WorkerProcess(options)
                    return nil
                } catch {
                    return error.code
                }
            }
            #expect(code { $0.name = "1st" } == .invalid)
            #expect(code { $0.slots = 0 } == .invalid)
            #expect(code { $0.directory = "/proc/nothing" } == .directory)
            #expect(code { _ in } == nil)
        }
    }

    @Test("A second worker on the same directory is refused while the first worker runs")
    func lock() async throws {
        try await WorkerTest.run { test in
            let options = WorkerOptions.forTests(test.coordinator.endpoint, directory: test.directory)
            let error = #expect(throws: WorkerError.self) { try WorkerProcess(options) }
            #expect(error?.code == .directoryInUse)
            #expect(error?.description.contains("Another worker uses") == true)
        }
    }
}

/// The running processes of a group, without zombies.
private func livingMembers(ofGroup group: pid_t) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { name in
        guard pid_t(name) != nil, let line = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
            let end = line.lastIndex(of: ")")
        else { return false }
        // Behind the program's name: state, parent, group.
        let fields = line[line.index(after: end)...].split(separator: " ")
        return fields.count > 2 && pid_t(fields[2]) == group && fields[0] != "Z" && fields[0] != "X"
    }
}
