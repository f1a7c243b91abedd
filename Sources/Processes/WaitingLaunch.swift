import CBatonSpawn
import Glibc

/// The launch of a process that waits for the other end of a named pipe, one of its streams, and may fail after its start was reported.
///
/// Child and supervisor share memory for the child's failure until the child executes its program.
final class WaitingLaunch {
    private let outcome: UnsafeMutablePointer<cspawn_outcome>
    /// The program.
    let program: String
    private let specification: ProcessSpecification

    /// - Parameter outcome: where the process tells of its failure; unmapped with this object.
    init(outcome: UnsafeMutablePointer<cspawn_outcome>, program: String, specification: ProcessSpecification) {
        self.outcome = outcome
        self.program = program
        self.specification = specification
    }

    deinit { munmap(outcome, MemoryLayout<cspawn_outcome>.size) }

    /// The reason for which the program of the process, which has ended, was not run; nil if the program was run, or the process was
    /// ended before.
    var failure: LaunchFailure? {
        let outcome = outcome.pointee
        guard outcome.step != CSPAWN_STARTED.rawValue else { return nil }
        var failure = Launcher.failure(
            at: outcome.step,
            outcome.error,
            program: program,
            specification: specification
        )
        failure.followsStart = true
        return failure
    }
}
