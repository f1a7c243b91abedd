import Dispatch

/// Runs the library's own tasks for calls that block, on a thread that no task of the program can take.
///
/// Swift's pool has as many threads as the host has processors. If blocked calls take all of them, no thread is left for the task
/// that ends the blocking. What may wait for a disk has an executor of its own: a disk that does not answer holds up nothing else.
final class LibraryExecutor: TaskExecutor {
    /// The executor of what waits for a coordinator.
    static let shared = LibraryExecutor("Baton")

    private let queue: DispatchQueue

    /// Makes an executor, which takes a thread only while it has something to run.
    ///
    /// - Parameter label: the name of the thread's queue.
    init(_ label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
