@_spi(Baton) import BatonProcesses
import Synchronization

/// Passes signals on to a process, also those that come before its start.
final class SignalPassing: Sendable {
    private struct State {
        var process: ProcessHandle?
        var early: [Int32] = []
    }

    private let state = Mutex(State())

    /// Passes a signal on, now or once there is a process.
    func pass(_ number: Int32) {
        state.withLock { state in
            guard let process = state.process else {
                state.early.append(number)
                return
            }
            Self.send(number, to: process)
        }
    }

    /// Passes to a process what has come so far, and what comes from now on.
    func begin(to process: ProcessHandle) {
        state.withLock { state in
            state.process = process
            for number in state.early { Self.send(number, to: process) }
        }
    }

    /// Sends a signal; the kernel refuses it if the process runs as another user.
    private static func send(_ number: Int32, to process: ProcessHandle) { try? process.signal(number) }
}
