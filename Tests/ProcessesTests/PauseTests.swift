@_spi(Baton) import BatonProcesses
import Glibc
import Testing

@Suite("Pauses of processes", .timeLimit(.minutes(60)))
struct PauseTests {
    /// Waits for the next end of a process.
    private func end(in processes: SupervisedProcesses) throws -> (token: UInt64, exit: ProcessExit) {
        while true {
            for case .ended(let token, let result) in processes.takeEvents(waitingAtMost: nil) {
                return (token, try result.get())
            }
        }
    }

    /// Starts the next process, or only begins its start.
    private func start(in processes: SupervisedProcesses, isUnderWay: Bool) {
        if isUnderWay { _ = processes.beginNext() } else { _ = processes.startNext() }
    }

    @Test("RT6 A timeout that is held stands still, and goes on with what is left of it", arguments: [false, true])
    func timeout(isUnderWay: Bool) throws {
        let processes = try SupervisedProcesses()
        var limited = ProcessSpecification("sleep", "1000")
        limited.timeout = .milliseconds(50)
        processes.launch(limited, token: 1)
        start(in: processes, isUnderWay: isUnderWay)
        processes.holdTimeout(of: 1)
        // The other process takes several times as long as the timeout.
        processes.launch(ProcessSpecification("sleep", "0.25"), token: 2)
        start(in: processes, isUnderWay: isUnderWay)
        let first = try end(in: processes)
        #expect(first.token == 2 && first.exit.end == .exited(0))
        processes.continueTimeout(of: 1)
        let second = try end(in: processes)
        #expect(second.token == 1 && second.exit.timedOut)
    }

    @Test("RT6 A timeout that is held does not come back once its process is being ended")
    func ending() throws {
        let processes = try SupervisedProcesses()
        var limited = ProcessSpecification.shell("trap '' TERM; while :; do sleep 0.01; done")
        limited.timeout = .milliseconds(1)
        limited.timeoutGrace = .zero
        processes.launch(limited, token: 1)
        _ = processes.startNext()
        processes.holdTimeout(of: 1)
        processes.terminate(1, grace: .milliseconds(100))
        processes.continueTimeout(of: 1)
        let ended = try end(in: processes)
        #expect(ended.exit.terminated && !ended.exit.timedOut)
    }

    @Test("A signal reaches all processes of the group, and none that has not started")
    func signal() throws {
        let processes = try SupervisedProcesses()
        processes.deliver(SIGKILL, to: 1)
        processes.launch(ProcessSpecification("sleep", "1000"), token: 1)
        processes.deliver(SIGKILL, to: 1)
        _ = processes.startNext()
        processes.deliver(SIGINT, to: 1)
        let ended = try end(in: processes)
        #expect(ended.exit.end == .signalled(SIGINT) && !ended.exit.terminated)
    }
}
