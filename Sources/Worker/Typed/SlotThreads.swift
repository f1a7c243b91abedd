import Dispatch
import BatonProcesses
import Synchronization

/// Where Swift operations run: on threads of their own, as many as are busy, so that one that blocks its thread holds up its own
/// slot and nobody else's.
///
/// A thread is made before the operation that needs it is started: where the host has no room for one, that is known then, and
/// nobody sleeps until there is.
final class SlotThreads: TaskExecutor {
    /// What the threads share; it outlives the executor until they have ended.
    private final class Line: Sendable {
        struct State {
            var jobs: [(job: UnownedJob, executor: UnownedTaskExecutor)] = []
            /// Those before it have been taken.
            var head = 0
            var threads = 0
            var isOver = false
        }

        let state = Mutex(State())
        let arrivals = DispatchSemaphore(value: 0)

        /// Runs jobs until the executor is gone.
        func work() {
            while true {
                arrivals.wait()
                let next = state.withLock { state -> (job: UnownedJob, executor: UnownedTaskExecutor)? in
                    guard state.head < state.jobs.count else { return nil }
                    let next = state.jobs[state.head]
                    state.head += 1
                    if state.head == state.jobs.count {
                        state.jobs.removeAll(keepingCapacity: true)
                        state.head = 0
                    }
                    return next
                }
                if let next {
                    next.job.runSynchronously(on: next.executor)
                } else if state.withLock(\.isOver) {
                    return
                }
            }
        }
    }

    private let line = Line()

    deinit {
        // No task is left that could have a job here.
        let threads = line.state.withLock { state in
            state.isOver = true
            return state.threads
        }
        for _ in 0..<threads { line.arrivals.signal() }
    }

    /// Makes sure that there are threads for so many operations at once.
    ///
    /// - Throws: `SystemFailure` where the system has no room for another.
    func provide(for count: Int) throws(SystemFailure) {
        while line.state.withLock({ $0.threads < count }) {
            try startOwnThread { [line] in line.work() }
            line.state.withLock { $0.threads += 1 }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        line.state.withLock { $0.jobs.append((job, executor)) }
        line.arrivals.signal()
    }
}
