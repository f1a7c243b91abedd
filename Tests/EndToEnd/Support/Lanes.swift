import Foundation
import Synchronization

/// Places for tests with a cluster, given in the order of the requests.
///
/// There are more places than processors, as a test often waits for a process to start or to end, and fewer places than
/// tests, as a cluster has several processes.
final class Lanes: Sendable {
    static let shared = Lanes(count: 2 * ProcessInfo.processInfo.activeProcessorCount)

    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(count: Int) {
        state = Mutex(State(free: count))
    }

    /// Runs a body as soon as a place is free.
    func run(_ body: () async throws -> Void) async rethrows {
        await enter()
        defer { leave() }
        try await body()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
