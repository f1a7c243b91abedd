import Synchronization
@_spi(Baton) package import BatonThreads

/// The executor of Swift operations, with as many threads as operations run at once.
///
/// A blocking operation occupies only its own slot. A thread is created before the start of the operation that needs
/// it: a host without room for the thread reports the failure then, and no operation sleeps until there is room.
package final class SlotThreads: TaskExecutor {
    /// The state that the threads share; it outlives the executor until the threads have ended.
    private final class Line: Sendable {
        struct State {
            var jobs: [(job: UnownedJob, executor: UnownedTaskExecutor)] = []
            /// Jobs before this index have been taken.
            var head = 0
            var threads = 0
            /// The number of jobs that a thread runs now.
            var running = 0
            var isOver = false

            var isQuiet: Bool { head == jobs.count && running == 0 }
        }

        let state = Mutex(State())
        let arrivals = ThreadSemaphore()
        private let whenQuiet: (@Sendable () -> Void)?

        init(whenQuiet: (@Sendable () -> Void)?) {
            self.whenQuiet = whenQuiet
        }

        /// Runs jobs until the executor is gone.
        func work() {
            while true {
                arrivals.wait()
                let next = state.withLock { state -> (job: UnownedJob, executor: UnownedTaskExecutor)? in
                    guard state.head < state.jobs.count else { return nil }
                    let next = state.jobs[state.head]
                    state.head += 1
                    state.running += 1
                    if state.head == state.jobs.count {
                        state.jobs.removeAll(keepingCapacity: true)
                        state.head = 0
                    }
                    return next
                }
                if let next {
                    next.job.runSynchronously(on: next.executor)
                    let isQuiet = state.withLock { state in
                        state.running -= 1
                        return state.isQuiet
                    }
                    if isQuiet { whenQuiet?() }
                } else if state.withLock(\.isOver) {
                    return
                }
            }
        }
    }

    private let line: Line

    /// Makes an executor without threads.
    ///
    /// - Parameter whenQuiet: called on one of the threads when no job waits or runs any more; must return quickly.
    package init(whenQuiet: (@Sendable () -> Void)? = nil) {
        line = Line(whenQuiet: whenQuiet)
    }

    deinit {
        // No remaining task can have a job here.
        let threads = line.state.withLock { state in
            state.isOver = true
            return state.threads
        }
        for _ in 0..<threads { line.arrivals.signal() }
    }

    /// Whether no job waits or runs: each task has ended, or is suspended and waits for something.
    package var isQuiet: Bool { line.state.withLock(\.isQuiet) }

    /// Ensures that enough threads exist for a number of operations at once.
    ///
    /// - Throws: ``BatonThreads/ThreadFailure`` if the system has no room for another thread.
    package func provide(for count: Int) throws(ThreadFailure) {
        while line.state.withLock({ $0.threads < count }) {
            try SystemThread.detach(named: "operations") { [line] in line.work() }
            line.state.withLock { $0.threads += 1 }
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        line.state.withLock { $0.jobs.append((job, executor)) }
        line.arrivals.signal()
    }
}
