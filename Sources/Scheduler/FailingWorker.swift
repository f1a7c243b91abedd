import BatonOperations

/// What is known of a worker that cannot start attempts through a fault of its own (D9).
///
/// It rests, is sent one attempt to try, and rests twice as long where that fails too.
struct FailingWorker {
    /// The first rest, and the longest.
    static let firstRest = Duration.seconds(1)
    static let longestRest = Duration.seconds(60)

    /// What is wrong, in a sentence of the worker.
    var reason: String
    /// How long it rests before it is tried.
    var rest = firstRest
    /// When it may be tried; nil once it may.
    var restsUntil: Timestamp?
    /// The attempt that it was sent to try.
    var trial: AttemptToken?

    /// Whether it may be sent an attempt.
    var mayBeTried: Bool { restsUntil == nil && trial == nil }
}

extension WorkerState {
    /// Makes an attempt that it is sent its trial, where it is failing.
    mutating func beginTrial(_ token: AttemptToken) {
        if failing?.mayBeTried == true { failing?.trial = token }
    }

    /// Lets another attempt be its trial once it does not have this one any more.
    mutating func endTrial(_ token: AttemptToken) {
        if failing?.trial == token { failing?.trial = nil }
    }
}
