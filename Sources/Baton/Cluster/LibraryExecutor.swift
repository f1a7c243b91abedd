import Dispatch

/// Runs the library's own tasks for calls that block, on a thread that no task of the program can take.
///
/// Swift's pool has as many threads as the host has processors. If blocked calls take all of them, no thread is left for the task
/// that ends the blocking.
final class LibraryExecutor: TaskExecutor {
    static let shared = LibraryExecutor()

    private let queue = DispatchQueue(label: "Baton")

    private init() {}

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
