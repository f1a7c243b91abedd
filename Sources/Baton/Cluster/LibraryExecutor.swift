import Dispatch

/// Runs the library's own tasks for calls that block, on a thread that no task of the program can take.
///
/// The threads of Swift's pool are as many as processors: blocked ones could leave none for what they wait for.
final class LibraryExecutor: TaskExecutor {
    static let shared = LibraryExecutor()

    private let queue = DispatchQueue(label: "Baton")

    private init() {}

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
