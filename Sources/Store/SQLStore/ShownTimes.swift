@_spi(Baton) import BatonOperations

/// The relation of the record's clock to the times that users see, during one run of a coordinator.
///
/// The times in the record are times of day. When the host's clock is set, the times of what this run has noted and has not ended
/// move with it, so that durations stay right; times of earlier runs stay.
struct ShownTimes {
    /// A change of the host's clock.
    struct Step: Equatable {
        /// How much later times are shown, in microseconds; negative for a clock that was set back.
        var length: Int64
        /// The times that move, as they were shown before, in microseconds.
        var moved: ClosedRange<Int64>
    }

    /// The first reading of the record's clock that was committed, and the last relation to shown times; nil before a commit.
    private var known: (beginning: Int64, offset: Int64)?

    /// The change of the host's clock since the last commit, if any.
    func step(at clock: Timestamp, shownAs time: Timestamp) -> Step? {
        guard let known else { return nil }
        let length = time.rawValue &- clock.rawValue &- known.offset
        guard length != 0 else { return nil }
        let first = known.beginning &+ known.offset
        return Step(length: length, moved: first...max(first, clock.rawValue &+ known.offset))
    }

    /// Notes the readings of a committed transaction.
    ///
    /// - Parameters:
    ///   - first: the first reading: a transaction may have the changes of several moments.
    ///   - clock: the last reading.
    ///   - time: the last reading as it is shown.
    mutating func note(from first: Timestamp, to clock: Timestamp, shownAs time: Timestamp) {
        known = (known?.beginning ?? first.rawValue, time.rawValue &- clock.rawValue)
    }
}
