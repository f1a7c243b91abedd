@_spi(Baton) import BatonOperations

/// The times of a worker: its signs of life, its pace, and the timers that judge both.
///
/// No ranking of the workers depends on these times.
struct WorkerTimes {
    /// The time of the worker's last sign of life.
    var lastHeard: Timestamp
    /// The next time at which the worker's silence is judged; nil once the worker is lost.
    var judgedAt: Timestamp?
    /// The time at which the worker last started or ended an attempt.
    var lastActive: Timestamp
    /// Whether a timer is set to judge the worker's activity.
    var isActivityWatched = false
    /// The mean duration of the worker's last attempts, in microseconds.
    ///
    /// Each new attempt counts an eighth; the mean is nil before the first attempt has ended.
    var meanDuration: Int64?
    /// The time of the worker's trial timer, even after the worker has recovered; nil without a timer.
    var triedAt: Timestamp?

    /// The times of a worker that joins.
    init(joinedAt now: Timestamp) {
        lastHeard = now
        lastActive = now
    }

    /// Notes that the worker has ended an attempt of a duration in microseconds.
    mutating func noteEnd(after duration: Int64, at now: Timestamp) {
        meanDuration = meanDuration.map { $0 + (duration - $0) / 8 } ?? duration
        lastActive = now
    }
}
