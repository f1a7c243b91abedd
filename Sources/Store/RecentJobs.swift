@_spi(Baton) import BatonOperations

/// A set of jobs that is nearly always asked about the same job again, which costs no hash.
struct RecentJobs {
    private var jobs: Set<JobNumber> = []
    /// The job that was found last.
    private var last: JobNumber?

    /// Adds a job.
    mutating func insert(_ job: JobNumber) { jobs.insert(job) }

    /// Removes a job.
    mutating func remove(_ job: JobNumber) {
        jobs.remove(job)
        if last == job { last = nil }
    }

    /// Whether the set has a job.
    mutating func contains(_ job: JobNumber) -> Bool {
        if last == job { return true }
        guard jobs.contains(job) else { return false }
        last = job
        return true
    }
}
