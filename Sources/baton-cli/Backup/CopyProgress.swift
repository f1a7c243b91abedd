/// The progress of a copy on a terminal, and its end at a signal.
final class CopyProgress {
    private let display: ProgressDisplay
    private let verb: String
    private let interruption: Interruption

    /// Shows nothing yet.
    ///
    /// - Parameters:
    ///   - verb: what happens to the record: `Copied`.
    ///   - removeRest: removes what a copy leaves that is ended at once.
    init(_ verb: String, isWanted: Bool, removeRest: @escaping @Sendable () -> Void) {
        self.verb = verb
        display = ProgressDisplay(isWanted: isWanted)
        interruption = Interruption()
        interruption.beforeLeaving(removeRest)
    }

    /// Shows how far the copy is.
    ///
    /// - Returns: whether it goes on: false after a signal.
    func step(_ copied: Int, _ count: Int) -> Bool {
        let percent = count > 0 ? copied * 100 / count : 100
        display.show(copied < count ? "\(verb) \(percent)%" : "\(verb) all, checking")
        return interruption.signal == nil
    }

    /// Shows how many rows are copied.
    ///
    /// - Returns: whether the copy goes on: false after a signal.
    func step(rows: Int64) -> Bool {
        display.show("\(verb) \(rows) rows")
        return interruption.signal == nil
    }

    /// Ends the display.
    func clear() { display.clear() }

    /// The error of a command whose copy has failed: after a signal, the end by the signal.
    func failure(_ error: CommandFailure) -> any Error {
        clear()
        guard let signal = interruption.signal else { return error }
        Output.note(error.message)
        return QuietExit(signal: signal)
    }
}
