@_spi(Baton) import BatonProcesses
import Synchronization

/// Child processes running this program: a coordinator, or a command as typed by a user.
final class ChildProcesses: Sendable {
    /// A running child process.
    struct Running: Sendable {
        var process: Int32
        var end: Task<ProcessExit, any Error>
    }

    private let supervisor: ProcessSupervisor
    private let environment: ProcessEnvironment
    private let tokens = Atomic<UInt64>(0)

    init(_ environment: ProcessEnvironment) throws {
        self.environment = environment
        supervisor = try ProcessSupervisor()
    }

    /// Runs this program with arguments, and returns the end of the process.
    ///
    /// - Parameter onStart: a function called with the process id once the program runs.
    func run(
        _ arguments: [String],
        standardError: ProcessOutput = .descriptor(2),
        onStart: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async throws -> ProcessExit {
        var specification = ProcessSpecification(
            arguments: [Surroundings.ownProgram] + arguments,
            environment: environment
        )
        specification.standardError = standardError
        let token = tokens.add(1, ordering: .relaxed).newValue
        return try await withCheckedContinuation { continuation in
            supervisor.launch(specification, token: token, onStart: onStart) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Starts this program with arguments, and returns once the program runs.
    func start(_ arguments: [String], standardError: ProcessOutput) async throws -> Running {
        let (starts, continuation) = AsyncStream<Int32>.makeStream()
        let end = Task {
            defer { continuation.finish() }
            return try await run(arguments, standardError: standardError) { continuation.yield($0) }
        }
        for await process in starts { return Running(process: process, end: end) }
        try Task.checkCancellation()
        _ = try await end.value
        throw CommandFailure(ExitStatus.fault, code: "fault", "A process of the benchmark ended before it had started.")
    }

    /// Asks all child processes to end; kills the processes still running after the grace period.
    func terminate(grace: Duration) { supervisor.terminateAll(grace: grace) }

    /// Kills all child processes, and returns after their end.
    func shutDown() { supervisor.shutDown() }
}
