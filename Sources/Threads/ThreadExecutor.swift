import Synchronization

/// Runs tasks one after another on a thread of its own, so that long work takes no thread of the pool.
///
/// The thread exists only while there is something to run, so that nobody has to end it. On a host without room for the thread,
/// the tasks run on the pool.
@_spi(Baton) public final class ThreadExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var hasThread = false
    }

    private let name: StaticString
    private let state = Mutex(State())

    /// Makes an executor without a thread.
    ///
    /// - Parameter name: the name of the thread, at most 15 bytes.
    public init(named name: StaticString) {
        self.name = name
    }

    /// Adds a piece of a task; called by the runtime of Swift.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustStart = state.withLock { state in
            state.jobs.append(job)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        guard mustStart else { return }
        do throws(ThreadFailure) {
            try SystemThread.detach(named: name) { self.run() }
        } catch {
            let jobs = state.withLock { state in
                defer { state = State() }
                return state.jobs
            }
            for job in jobs { globalConcurrentExecutor.enqueue(job) }
        }
    }

    /// Runs what there is, on the thread.
    private func run() {
        while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// The next piece; nil if there is none, and the thread ends.
    private func next() -> UnownedJob? {
        state.withLock { state in
            state.hasThread = !state.jobs.isEmpty
            return state.jobs.isEmpty ? nil : state.jobs.removeFirst()
        }
    }
}
