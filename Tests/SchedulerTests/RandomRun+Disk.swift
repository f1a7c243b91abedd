import BatonOperations
import BatonTestSupport

@testable import BatonScheduler

/// The disk, which may take its time.
extension RandomRun {
    /// Confirms that the first so many things are on disk, and all that comes of that in turn where the disk is fast.
    mutating func confirm(_ number: Int) {
        var left = number
        while left > 0, !unconfirmed.isEmpty {
            if !isDiskSlow { commit() }
            handle(.kept(unconfirmed.removeFirst()))
            left = isDiskSlow ? left - 1 : unconfirmed.count
        }
    }

    /// Commits all changes; what waited for that is told, the last things perhaps only after what happens next.
    mutating func commitSlowly() {
        commit()
        if model.isRecordWritable { confirm(random.number(0...unconfirmed.count)) }
    }

    /// Commits all changes; the workers are told which attempts they may forget.
    mutating func commit() {
        guard model.isRecordWritable else { return }
        committed = (record, model)
        for (session, token) in uncommitted { tell(session, .acknowledge(session, token)) }
        uncommitted = []
    }
}
