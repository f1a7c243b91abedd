import Foundation
import Glibc
@_spi(Baton) import BatonProcesses
import Synchronization

/// A program that was started, and may have ended.
final class StartedProgram: Sendable {
    /// The exit status, or 128 and the number of the signal.
    typealias Status = Int32

    private struct State {
        var process: Int32?
        var status: Status?
        var isKilled = false
        var waiters: [CheckedContinuation<Status, Never>] = []
    }

    private let supervisor: ProcessSupervisor
    private let token: UInt64
    private let logs: String
    private let state = Mutex(State())

    init(supervisor: ProcessSupervisor, token: UInt64, logs: String) {
        self.supervisor = supervisor
        self.token = token
        self.logs = logs
    }

    /// The process ID; nil after the end of the process.
    var process: Int32? { state.withLock { $0.status == nil ? $0.process : nil } }

    /// The standard output so far.
    var output: String { (try? String(contentsOfFile: logs + ".out", encoding: .utf8)) ?? "" }

    /// The standard error so far.
    var errors: String { (try? String(contentsOfFile: logs + ".err", encoding: .utf8)) ?? "" }

    /// Waits for the end of the process.
    func end() async -> Status {
        await withCheckedContinuation { continuation in
            let status = state.withLock { state -> Status? in
                if state.status == nil { state.waiters.append(continuation) }
                return state.status
            }
            if let status { continuation.resume(returning: status) }
        }
    }

    /// Kills the process.
    func kill() {
        state.withLock { $0.isKilled = true }
        supervisor.terminate(token, grace: .zero)
    }

    /// Asks the process to end.
    func terminate() { supervisor.terminate(token, grace: .seconds(30)) }

    /// Sends the process a signal, unless it has ended.
    func signal(_ number: Int32) {
        if let process { Glibc.kill(process, number) }
    }

    func noteStart(_ process: Int32) { state.withLock { $0.process = process } }

    func noteEnd(_ result: Result<ProcessExit, LaunchFailure>) {
        let status: Status =
            switch result {
            case .success(let exit):
                switch exit.end {
                case .exited(let status): status
                case .signalled(let number): 128 + number
                case .unknown: -1
                }
            // A kill before the start prevents the start.
            case .failure: state.withLock(\.isKilled) ? 128 + SIGKILL : 127
            }
        let waiters = state.withLock { state in
            state.status = status
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: status) }
    }
}
