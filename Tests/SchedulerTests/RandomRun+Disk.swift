@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues

@_spi(Baton) @testable import BatonScheduler

/// The disk, which may confirm commits late.
extension RandomRun {
    /// Confirms the first commits of the given number, and on a fast disk also all commits that follow from them.
    mutating func confirm(_ number: Int) {
        var left = number
        while left > 0, !unconfirmed.isEmpty {
            if !isDiskSlow { commit() }
            handle(.committed(unconfirmed.removeFirst()))
            left = isDiskSlow ? left - 1 : unconfirmed.count
        }
    }

    /// Commits all changes; the scheduler is told of the commits, perhaps of the last ones only after the next event.
    mutating func commitSlowly() {
        commit()
        if model.isRecordWritable { confirm(random.number(0...unconfirmed.count)) }
    }

    /// Commits all changes, and tells the workers which attempts they may forget.
    mutating func commit() {
        guard model.isRecordWritable else { return }
        committed = (record, model)
        for (session, token) in uncommitted { tell(session, .acknowledge(session, token)) }
        uncommitted = []
    }
}
