@_spi(Baton) import BatonOperations

/// The state of a worker that cannot start attempts because of its own fault (D9).
///
/// The worker rests, and then gets one attempt as a trial. If the trial fails too, the next rest is twice as long.
struct FailingWorker {
    /// The lengths of the first rest and of the longest rest.
    static let firstRest = Duration.seconds(1)
    static let longestRest = Duration.seconds(60)

    /// The worker's description of the fault, in a sentence.
    var reason: String
    /// The length of the rest before a trial.
    var rest = firstRest
    /// The end of the rest; nil once the worker may get a trial.
    var restsUntil: Timestamp?
    /// The attempt that the worker got as a trial.
    var trial: AttemptToken?

    /// Whether the worker may be sent an attempt.
    var mayBeTried: Bool { restsUntil == nil && trial == nil }
}

extension WorkerState {
    /// Makes a newly sent attempt the trial of a failing worker.
    mutating func beginTrial(_ token: AttemptToken) {
        if failing?.mayBeTried == true { failing?.trial = token }
    }

    /// Allows another trial if the attempt, which the worker no longer has, was the trial.
    mutating func endTrial(_ token: AttemptToken) {
        if failing?.trial == token { failing?.trial = nil }
    }
}
