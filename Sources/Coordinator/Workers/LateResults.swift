@_spi(Baton) import BatonOperations

/// An end that a session has told of an attempt which is not the session's any more, or never was.
struct StaleEnd: Hashable {
    /// The session that told of the end.
    var session: SessionID
    /// The attempt.
    var token: AttemptToken
}

/// Decides when the log tells that results came too late: once in ten seconds for each worker, with their number, because a worker
/// may send any number of them.
struct LateResults {
    /// What the log tells of a worker.
    struct Line: Equatable {
        /// The name of the worker.
        var worker: String
        /// The attempt of the first result.
        var first: AttemptToken
        /// How many results came too late since the last line.
        var count: Int
    }

    /// The least time between two lines about a worker.
    static let interval = Duration.seconds(10)

    /// The lines that are not told yet, by worker: as many as there are workers, at most.
    private var untold: [String: Line] = [:]
    private var toldAt: [String: Timestamp] = [:]

    /// Whether everything is told.
    var isEmpty: Bool { untold.isEmpty }

    /// Notes a result that came too late.
    mutating func note(_ token: AttemptToken, of worker: String) {
        untold[worker, default: Line(worker: worker, first: token, count: 0)].count += 1
    }

    /// Takes the lines that the log tells now, in the order of the workers' names.
    mutating func takeDue(at now: Timestamp) -> [Line] {
        toldAt = toldAt.filter { now - $0.value < Self.interval }
        let due = untold.values.filter { toldAt[$0.worker] == nil }.sorted { $0.worker < $1.worker }
        for line in due {
            untold[line.worker] = nil
            toldAt[line.worker] = now
        }
        return due
    }
}
