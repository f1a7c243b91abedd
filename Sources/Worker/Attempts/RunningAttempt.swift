import BatonOperations
import BatonProcesses

/// An attempt of commands between its start and the end of its last process.
final class RunningAttempt {
    let assignment: Assignment
    /// Why it is ended before its time; the first cause counts.
    var cause: WorkerSession.EndCause?
    /// Why the host could not start one of its commands.
    var fault: String?
    /// Where it prints to; nil while that is being made.
    var output: AttemptOutput?
    /// The names of its processes.
    var processes: Range<UInt64> = 0..<0
    /// How its processes ended, in the order of the commands.
    var ends: [Result<ProcessExit, LaunchFailure>?] = []
    /// How many of its commands are not over.
    var remaining = 0
    /// How many of its commands have neither started nor failed to.
    var unlaunched = 0
    /// Whether its processes are stopped until what they printed is cut down.
    var isPaused = false

    /// Whether any of its commands has come to run.
    var hasRun: Bool {
        ends.contains { end in
            switch end {
            case .success?: true
            case .failure(let failure)?: failure.hasRun
            case nil: false
            }
        }
    }

    init(_ assignment: Assignment) {
        self.assignment = assignment
    }

    /// Closes the worker's own copies of what it prints to, once none of its commands needs them any more.
    func commandLaunched() {
        unlaunched -= 1
        if unlaunched == 0 { output?.closeWriters() }
    }
}
