import Dispatch

/// Where Swift operations run: on threads of their own, as many as are busy, so that one that blocks its thread holds up its own
/// slot and nobody else's.
final class SlotThreads: TaskExecutor {
    private let queue = DispatchQueue(label: "baton.worker.operations", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
