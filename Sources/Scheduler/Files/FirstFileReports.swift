@_spi(Baton) import BatonOperations

/// The wait for the first reports of files after a restart: the record does not tell which workers have copies.
///
/// Owns the workers of before the restart that have not come back, and the time until which the reports decide whether files are lost. The
/// workers that are back and have not reported are in ``FileTable``. Nobody waits but operations that need files without a copy.
struct FirstFileReports: Sendable {
    /// The names of the workers that had a session when the record ended, and that have not come back.
    private(set) var absent: Set<String> = []
    /// When the wait is over; nil without a restart.
    private(set) var end: Timestamp?
    /// Whether it was put off to decide about files.
    private(set) var isDecisionPutOff = false
    /// Whether a timer is set for the end of the wait.
    private(set) var hasTimer = false

    /// Whether reports may still be waited for.
    func isOpen(at now: Timestamp) -> Bool { end.map { now < $0 } ?? false }

    /// Waits for workers after a restart.
    mutating func open(for workers: some Sequence<String>, until end: Timestamp) {
        absent = Set(workers)
        self.end = end
    }

    /// Notes that a worker is back, or that it is not to come back.
    mutating func forget(_ name: String) {
        if !absent.isEmpty { absent.remove(name) }
    }

    /// Notes that it is put off to decide about files.
    ///
    /// - Returns: the time for which a timer is to be set now; nil if there is one.
    mutating func putOffDecision() -> Timestamp? {
        isDecisionPutOff = true
        guard !hasTimer, let end else { return nil }
        hasTimer = true
        return end
    }

    /// Notes that what was put off is decided now.
    mutating func endPuttingOff() { isDecisionPutOff = false }

    /// Notes that the timer was due.
    mutating func noteTimerEnd() { hasTimer = false }
}
