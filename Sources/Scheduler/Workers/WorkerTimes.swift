@_spi(Baton) import BatonOperations

/// The times of a worker: signs of life, the durations of attempts, the distance, and the timers for silence and inactivity.
///
/// No ranking of the workers depends on these times.
struct WorkerTimes {
    /// The time of the worker's last sign of life.
    var lastHeard: Timestamp
    /// The next time at which the worker's silence is judged; nil once the worker is lost.
    var judgedAt: Timestamp?
    /// When the worker is removed from the list; nil for a worker that is not lost, or stays.
    var forgottenAt: Timestamp?
    /// The time at which the worker last started or ended an attempt.
    var lastActive: Timestamp
    /// Whether a timer is set to judge the worker's activity.
    var isActivityWatched = false
    /// The mean duration of the worker's last attempts, in microseconds.
    ///
    /// Each new attempt counts an eighth; the mean is nil before the first attempt has ended.
    var meanDuration: Int64?
    /// The mean number of bytes that the worker's last attempts left, as results and output.
    ///
    /// Only known of a far worker, where the bytes limit what is sent ahead.
    var meanBytes = 0
    /// How far away the worker is.
    var distance = Distance.unknown {
        didSet { patience = distance.patience(mean: meanDuration) }
    }
    /// How long the worker may start and end nothing before the attempts ahead are recalled, in microseconds.
    private(set) var patience = SendAhead.patience
    /// The time of the worker's trial timer, even after the worker has recovered; nil without a timer.
    var triedAt: Timestamp?

    /// The times of a worker that joins.
    init(joinedAt now: Timestamp) {
        lastHeard = now
        lastActive = now
    }

    /// Notes that the worker has ended an attempt of a duration in microseconds, which left bytes.
    mutating func noteEnd(after duration: Int64, leaving bytes: @autoclosure () -> Int, at now: Timestamp) {
        meanDuration = meanDuration.map { $0 + (duration - $0) / 8 } ?? duration
        if !distance.isNear {
            meanBytes += (bytes() - meanBytes) / 8
            patience = distance.patience(mean: meanDuration)
        }
        lastActive = now
    }
}
