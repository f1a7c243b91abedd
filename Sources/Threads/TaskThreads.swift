import CBatonThreads
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Threads that run all tasks of a program that name no executor, in the order of their arrival.
///
/// Without them the tasks run on threads of libdispatch. On Linux libdispatch asks for a niceness for each thread, which a user
/// other than root does not get, and writes a line to the system's log each time; a task of low priority gets little of a busy host.
/// A task must not block: ``onOwnThread(named:_:)`` is for what does.
@_spi(Baton) public final class TaskThreads: Sendable {
    private struct State {
        var tasks: [WaitingTask] = []
        /// The position of the first task that no thread has taken.
        var first = 0
        var threads = 0
        /// The waiting threads that no signal has woken yet.
        var idle = 0
    }

    /// A task of the runtime, which exactly one thread takes.
    private struct WaitingTask: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }

    private static let shared = TaskThreads()

    private let state = Mutex(State())
    private let arrivals = ThreadSemaphore()
    /// The most threads: some more than processors, because a task may have to wait for the disk.
    private let limit = max(8, 2 * sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    private init() {}

    /// Takes all tasks of this program from now on; call this method before the first task.
    ///
    /// On a host without room for a thread the tasks stay with libdispatch.
    public static func takeTasks() {
        // The first thread exists before the first task, and none ever ends: each task is taken.
        guard shared.addThread() else { return }
        cthreads_take_tasks { task in
            if let task { TaskThreads.shared.take(WaitingTask(pointer: task)) }
        }
    }

    /// Adds a task to the waiting tasks.
    private func take(_ task: WaitingTask) {
        let mustAdd = state.withLock { state in
            state.tasks.append(task)
            guard state.idle == 0 else {
                state.idle -= 1
                arrivals.signal()
                return false
            }
            return state.threads < limit
        }
        if mustAdd { _ = addThread() }
    }

    /// Starts another thread, unless the host has no room for it.
    private func addThread() -> Bool {
        state.withLock { $0.threads += 1 }
        do throws(ThreadFailure) {
            try SystemThread.detach(named: "tasks") { self.work() }
            return true
        } catch {
            state.withLock { $0.threads -= 1 }
            return false
        }
    }

    /// Runs tasks for ever.
    private func work() {
        while true {
            while let task = next() { cthreads_run_task(task.pointer) }
            arrivals.wait()
        }
    }

    /// Returns the next task; nil if none waits, and then this thread counts as idle.
    private func next() -> WaitingTask? {
        state.withLock { state in
            guard state.first < state.tasks.count else {
                state.tasks.removeAll(keepingCapacity: true)
                state.first = 0
                state.idle += 1
                return nil
            }
            defer {
                state.first += 1
                // The array moves to its start once most of it has been taken.
                if state.first > 1_000, state.first > state.tasks.count / 2 {
                    state.tasks.removeFirst(state.first)
                    state.first = 0
                }
            }
            return state.tasks[state.first]
        }
    }
}
