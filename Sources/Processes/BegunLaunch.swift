import CBatonSpawn
import Glibc

/// A launch whose process may not have executed its program yet, nor failed to.
///
/// The process has its own copies of all descriptors and texts. Call ``settled()`` once, before anything is told of the process, and before
/// a signal is sent to it.
struct BegunLaunch {
    private let result: cspawn_result
    private let specification: ProcessSpecification

    /// - Parameters:
    ///   - result: the answer of `cspawn_begin`.
    ///   - specification: the program, which is named.
    init(_ result: cspawn_result, of specification: ProcessSpecification) {
        self.result = result
        self.specification = specification
    }

    /// The number of the process; -1 if there is none.
    var process: pid_t { result.process }

    /// A pidfd, which ``settled()`` hands on or closes; -1 if there is no process.
    var descriptor: Int32 { result.descriptor }

    /// Whether the process may not have executed its program yet, or may not have told of its failure.
    var isUnderWay: Bool { result.arena != nil }

    /// Whether ``settled()`` returns without a wait for the process.
    var hasSettled: Bool { withUnsafePointer(to: result) { cspawn_has_settled($0) != 0 } }

    /// Waits until the process has executed its program.
    ///
    /// - Throws: `LaunchFailure` if the program was not executed; a process that failed has been reaped.
    func settled() throws(LaunchFailure) -> Launcher.Started {
        var result = result
        cspawn_settle(&result)
        let program = specification.arguments.first ?? ""
        guard result.step == CSPAWN_STARTED.rawValue else {
            throw Launcher.failure(at: result.step, result.error, program: program, specification: specification)
        }
        return Launcher.Started(
            process: result.process,
            descriptor: result.descriptor,
            waiting: result.later.map { WaitingLaunch(outcome: $0, program: program, specification: specification) }
        )
    }
}
