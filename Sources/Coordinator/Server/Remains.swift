@_spi(Baton) import BatonScheduler
import Synchronization

/// Large jobs that were removed, for a thread that frees them while nobody waits.
///
/// Whoever lets go of a job last frees it. So the jobs are in a box, which all may refer to, and which the thread empties.
package final class Remains: Sendable {
    private let jobs: Mutex<RemovedJobs?>

    init(of jobs: RemovedJobs) { self.jobs = Mutex(jobs) }

    /// Frees the jobs on this thread.
    package func free() {
        _ = jobs.withLock { jobs in
            defer { jobs = nil }
            return jobs
        }
    }
}
