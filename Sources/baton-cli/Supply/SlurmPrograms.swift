@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonSupply
import Synchronization

/// The programs of Slurm, each with a limit of time, because slurmctld may not answer.
///
/// The programs get the environment of this process without keys: sbatch keeps the environment of a job on Slurm's disk.
final class SlurmPrograms: Sendable {
    /// The time that a program has.
    static let patience = Duration.seconds(30)
    /// The most bytes of an output that are read.
    private static let mostBytes = 4 << 20

    private let supervisor: ProcessSupervisor
    private let directory: TemporaryDirectory
    private let tokens = Atomic<UInt64>(0)

    init() throws {
        directory = try TemporaryDirectory()
        supervisor = try ProcessSupervisor()
    }

    /// Runs a program to its end; ask for one at a time.
    ///
    /// - Throws: ``CommandFailure`` if the program cannot be started.
    func run(_ arguments: [String]) async throws -> SlurmAnswers.Program {
        let (output, error) = (directory.path + "/output", directory.path + "/error")
        var specification = ProcessSpecification(arguments: arguments, environment: .withoutKeys)
        // A later run appends to what is there.
        for path in [output, error] { unlinkFile(path) }
        specification.standardOutput = .file(output)
        specification.standardError = .file(error)
        specification.timeout = Self.patience
        let token = tokens.add(1, ordering: .relaxed).newValue
        let launch = specification
        let result = await withCheckedContinuation { continuation in
            supervisor.launch(launch, token: token, onEnd: { continuation.resume(returning: $0) })
        }
        let name = arguments.first ?? ""
        switch result {
        case .failure(let failure):
            throw CommandFailure(
                failure.reason == .program ? ExitStatus.notFound : ExitStatus.fault,
                code: "slurm",
                "The program \(name) of Slurm was not started: \(failure.description).",
                advice: failure.reason == .program
                    ? "Run this command on a host with Slurm's programs in the PATH, such as a login node." : nil
            )
        case .success(let exit):
            let end: SlurmAnswers.Program.End =
                switch exit.end {
                case _ where exit.timedOut: .late
                case .exited(let status): .exited(status)
                case .signalled(let number): .signalled(number)
                case .unknown: .late
                }
            return SlurmAnswers.Program(name: name, end: end, output: try text(of: output), error: try text(of: error))
        }
    }

    private func text(of path: String) throws -> String {
        String(decoding: try InputFile.ordinaryBytes(of: path, atMost: Self.mostBytes), as: UTF8.self)
    }

    /// Ends the running program, and removes the files.
    func shutDown() {
        supervisor.shutDown()
        directory.remove()
    }
}
