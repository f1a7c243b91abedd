import Synchronization

/// Suspends the task for a time, by the monotonic clock.
///
/// The runtime's own `Task.sleep` takes a thread of libdispatch, also where ``TaskThreads`` runs the tasks.
///
/// - Throws: `CancellationError` at once if the task is cancelled.
@_spi(Baton) public func pause(for time: Duration) async throws {
    let pause = Pause()
    await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            guard pause.begin(continuation) else { return }
            PauseThread.shared.end(pause, after: time)
        }
    } onCancel: {
        pause.end()
    }
    try Task.checkCancellation()
}

/// The pause of one task.
private final class Pause: Sendable {
    private enum State {
        case new
        case pausing(CheckedContinuation<Void, Never>)
        case over
    }

    private let state = Mutex(State.new)

    /// Notes who waits; returns false if the pause is over already, and has resumed the task.
    func begin(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        let begins = state.withLock { state in
            guard case .new = state else { return false }
            state = .pausing(continuation)
            return true
        }
        if !begins { continuation.resume() }
        return begins
    }

    /// Resumes the task, once.
    func end() {
        let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .over }
            guard case .pausing(let continuation) = state else { return nil }
            return continuation
        }
        continuation?.resume()
    }
}

/// The thread that ends pauses, which exists from the first pause on.
private final class PauseThread: Sendable {
    private struct State {
        /// The pauses with their ends, the earliest end last.
        ///
        /// Few tasks pause at once.
        var pauses: [(end: ContinuousClock.Instant, pause: Pause)] = []
        var hasThread = false
    }

    static let shared = PauseThread()

    private let state = Mutex(State())
    private let changes = ThreadSemaphore()

    /// Ends a pause after a time; at once where the host has no room for the thread.
    func end(_ pause: Pause, after time: Duration) {
        let end = ContinuousClock.now + time
        let mustStart = state.withLock { state in
            let place = state.pauses.firstIndex { $0.end <= end } ?? state.pauses.count
            state.pauses.insert((end, pause), at: place)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        guard mustStart else { return changes.signal() }
        do throws(ThreadFailure) {
            try SystemThread.detach(named: "pauses") { self.run() }
        } catch {
            let pauses = state.withLock { state in
                defer { state = State() }
                return state.pauses
            }
            for (_, pause) in pauses { pause.end() }
        }
    }

    private func run() {
        while true {
            let (due, rest) = state.withLock { state in
                var due: [Pause] = []
                while let last = state.pauses.last, last.end <= .now { due.append(state.pauses.removeLast().pause) }
                return (due, state.pauses.last.map { $0.end - .now })
            }
            for pause in due { pause.end() }
            if let rest { _ = changes.wait(for: rest) } else { changes.wait() }
        }
    }
}
