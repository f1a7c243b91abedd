@_spi(Baton) import BatonOperations

/// The first reports of files after a restart: until they are in, no file counts as lost (FI6, FI7).
///
/// The reconcile window holds up what was ready before the restart, and ends early if no such operation needs files. A job that comes
/// later may need files of jobs that had finished, which only their workers know. It waits for every worker that has joined and for those
/// of before the restart, at most for the time of the reconcile window. What needs no such files does not wait.
extension Scheduler {
    /// Begins to wait for the reports of workers.
    ///
    /// - Parameter names: the workers that had a session when the record ended.
    mutating func openFirstFileReports(of names: some Sequence<String>) {
        // No operation of an empty record has left files.
        guard recordState.nextJob > JobNumber(1) else { return }
        files.firstReports.open(for: names, until: now + configuration.reconcileTime)
    }

    /// Whether a worker may still tell for the first time since a restart which files it has.
    var areFirstFileReportsAwaited: Bool {
        files.firstReports.isOpen(at: now) && !(files.firstReports.absent.isEmpty && files.areReported)
    }

    /// Notes that a worker of before a restart is back, or that it is not to come back with its files.
    mutating func forgetAwaitedFiles(of name: String) {
        files.firstReports.forget(name)
        decideAboutFiles()
    }

    /// Puts off what is to become of operations that need files without a copy.
    mutating func putOffDecisionAboutFiles() {
        if let end = files.firstReports.putOffDecision() {
            timers.insert(Timer(deadline: end, purpose: .firstFileReports))
        }
    }

    /// Has the time end for which reports are awaited.
    mutating func endFirstFileReports() {
        files.firstReports.noteTimerEnd()
        decideAboutFiles()
    }

    /// Decides what becomes of operations that need files without a copy, if that was put off and no report is awaited any more.
    mutating func decideAboutFiles() {
        guard files.firstReports.isDecisionPutOff, !areFirstFileReportsAwaited else { return }
        files.firstReports.endPuttingOff()
        deferred.files.lost += graph.fileWaits.awaited
    }

    /// The wait for workers that may report a lost file; nil if none is awaited.
    var firstFileReportsWait: Impediment? {
        guard areFirstFileReportsAwaited, let end = files.firstReports.end else { return nil }
        let reporting = workers.indexes.filter { files.isReporting($0) }.map { workers[$0].introduction.name }
        return .reconciling(until: end, workers: files.firstReports.absent.union(reporting).sorted())
    }
}
