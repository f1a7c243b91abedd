@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

/// An attempt of commands, from the start to the end of the last process.
final class RunningAttempt {
    let assigned: AssignedWork
    /// The cause of an early end; the first cause counts.
    var cause: WorkerSession.EndCause?
    /// The reason for which the host could not start a command.
    var fault: String?
    /// The output files; nil while they are being opened.
    var output: AttemptOutput?
    /// The tokens of the attempt's processes.
    var processes: Range<UInt64> = 0..<0
    /// The ends of the processes, in the order of the commands.
    var ends: [Result<ProcessExit, LaunchFailure>?] = []
    /// The number of commands that have not ended.
    var remaining = 0
    /// The number of commands that have neither started nor failed to start.
    var unlaunched = 0
    /// Whether the worker has closed its own output descriptors.
    private var hasClosedWriters = false
    /// Why the worker keeps the processes stopped.
    var pauses: Pauses = []

    /// The causes for which a worker stops the processes of an attempt; they go on when none is left.
    struct Pauses: OptionSet {
        let rawValue: UInt8

        /// The output is being trimmed; the timeout goes on.
        static let trimming = Pauses(rawValue: 1)
        /// The coordinator wants it so; the timeout stands still.
        static let request = Pauses(rawValue: 2)
    }

    /// Whether the worker keeps the processes stopped.
    var isPaused: Bool { !pauses.isEmpty }

    /// Whether any command has run.
    var hasRun: Bool {
        ends.contains { end in
            switch end {
            case .success?: true
            case .failure(let failure)?: failure.hasRun
            case nil: false
            }
        }
    }

    init(_ assigned: AssignedWork) {
        self.assigned = assigned
    }

    /// Takes note of a command that has its own output descriptors, though nobody knows yet whether it runs.
    ///
    /// After the last one, the worker's own are closed: the process of another attempt that is started meanwhile would have copies of them
    /// for a moment, as if it could print to this attempt's files.
    func commandBegun() {
        if unlaunched == 1 { closeWriters() }
    }

    /// Counts a launched command; after the last launch, closes the worker's own output descriptors.
    func commandLaunched() {
        unlaunched -= 1
        if unlaunched == 0 { closeWriters() }
    }

    private func closeWriters() {
        guard !hasClosedWriters else { return }
        hasClosedWriters = true
        output?.closeWriters()
    }
}
