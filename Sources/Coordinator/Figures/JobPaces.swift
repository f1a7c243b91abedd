@_spi(Baton) import BatonOperations

/// Estimates how long the rest of each job takes, out of its progress in the last minute or two.
///
/// A job's operations differ, and so does the number of them that run at once: its pace since the first start tells little about the
/// rest. Owns two earlier looks at each unfinished job that somebody has asked about, and no more; without an earlier look, a job counts
/// as one that has gone on evenly since its first start.
struct JobPaces {
    /// A job's progress, from 0 to 1, at a time.
    private struct Look {
        var time: Timestamp
        var progress: Double
    }

    /// The time between the looks that are kept.
    private static let interval = Duration.seconds(60)

    private var looks: [JobNumber: (earlier: Look, later: Look)] = [:]

    /// Notes a look at a job.
    ///
    /// - Parameters:
    ///   - job: an unfinished job.
    ///   - progress: its progress, from 0 to 1.
    ///   - start: when its first attempt was started.
    ///   - now: the time of the look.
    /// - Returns: the seconds that the rest takes; nil while nothing of the job is done.
    mutating func rest(of job: JobNumber, progress: Double, since start: Timestamp, at now: Timestamp) -> Double? {
        let look = Look(time: now, progress: progress)
        let begin = Look(time: start, progress: 0)
        var known = looks[job] ?? (begin, look)
        // What has begun anew tells nothing about the rest.
        if known.later.progress > progress { known = (begin, look) }
        if now - known.later.time >= Self.interval { known = (known.later, look) }
        looks[job] = known
        let gained = progress - known.earlier.progress
        let elapsed = Double(max(0, (now - known.earlier.time).microseconds)) / 1e6
        if gained > 0 { return elapsed * (1 - progress) / gained }
        // Nothing was done lately: the pace of the whole time is all that is known.
        let whole = Double(max(0, (now - start).microseconds)) / 1e6
        return progress > 0 ? whole * (1 - progress) / progress : nil
    }

    /// Forgets the jobs that are finished.
    mutating func keepOnly(_ isUnfinished: (JobNumber) -> Bool) {
        looks = looks.filter { isUnfinished($0.key) }
    }

    /// How many jobs are remembered.
    var count: Int { looks.count }
}
