import Synchronization

/// Reads the progress of a queue or job again after changes, once for all changes that come while a reading is under way.
final class ProgressReader: Sendable {
    private enum State {
        case idle
        case reading
        /// Changes have come since the reading began.
        case again
    }

    private let state = Mutex(State.idle)
    private let body: @Sendable () async -> Void

    init(_ body: @escaping @Sendable () async -> Void) {
        self.body = body
    }

    /// Reads, now or after the present reading.
    func read() {
        let mustStart = state.withLock { state in
            defer { state = state == .idle ? .reading : .again }
            return state == .idle
        }
        guard mustStart else { return }
        Task(executorPreference: LibraryExecutor.shared) { [self] in
            var goesOn = true
            while goesOn {
                await body()
                goesOn = state.withLock { state in
                    defer { state = state == .again ? .reading : .idle }
                    return state == .again
                }
            }
        }
    }
}
