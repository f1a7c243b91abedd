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

    /// Counts a launched command; after the last launch, closes the worker's own output descriptors.
    func commandLaunched() {
        unlaunched -= 1
        if unlaunched == 0 { output?.closeWriters() }
    }
}
