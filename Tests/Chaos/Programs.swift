import Foundation
@_spi(Baton) import BatonProcesses
import Synchronization

/// Starts the program under test in all its roles.
///
/// All started processes die with this process.
final class Programs: Sendable {
    let program: String
    let directory: String
    private let supervisor: ProcessSupervisor
    private let environment: ProcessEnvironment
    private let count = Atomic<UInt64>(0)

    init(program: String, directory: String) throws {
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw ChaosFailure("There is no program \(program). Build it first: swift build --product baton.")
        }
        self.program = program
        self.directory = directory
        supervisor = try ProcessSupervisor()
        // The checks of expensive invariants are the only setting that the programs share with this process.
        var variables = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("BATON_") || $0.key == "BATON_CHECK_INVARIANTS"
        }
        variables["BATON_HOME"] = directory
        variables["NO_COLOR"] = "1"
        environment = try ProcessEnvironment(variables)
    }

    /// Starts a command whose output goes to `NAME.out` and `NAME.err` in the directory of logs.
    ///
    /// - Parameter onStart: called with the process ID after the start.
    func start(
        _ arguments: [String],
        name: String,
        input: String? = nil,
        onStart: @escaping @Sendable (Int32) -> Void = { _ in }
    ) -> StartedProgram {
        var specification = ProcessSpecification(arguments: [program] + arguments, environment: environment)
        specification.directory = directory
        specification.standardInput = input
        let logs = "\(directory)/logs/\(name)"
        specification.standardOutput = .file(logs + ".out")
        specification.standardError = .file(logs + ".err")
        let token = count.add(1, ordering: .relaxed).newValue
        let started = StartedProgram(supervisor: supervisor, token: token, logs: logs)
        supervisor.launch(
            specification,
            token: token,
            onStart: { process in
                onStart(process)
                started.noteStart(process)
            },
            onEnd: { started.noteEnd($0) }
        )
        return started
    }

    /// Kills all running processes.
    func shutDown() { supervisor.shutDown() }
}
