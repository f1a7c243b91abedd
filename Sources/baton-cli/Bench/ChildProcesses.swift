import BatonProcesses
import Synchronization

/// Other calls of this program that a command makes: its coordinator, or what a user would type.
final class ChildProcesses: Sendable {
    /// A call that runs.
    struct Running: Sendable {
        var process: Int32
        var end: Task<ProcessExit, any Error>
    }

    private let supervisor: ProcessSupervisor
    private let tokens = Atomic<UInt64>(0)

    init() throws {
        supervisor = try ProcessSupervisor()
    }

    /// Calls this program, and returns how it ended.
    ///
    /// - Parameter onStart: called with the process once its program runs.
    func run(
        _ arguments: [String],
        standardError: ProcessOutput = .descriptor(2),
        onStart: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async throws -> ProcessExit {
        var specification = ProcessSpecification(
            arguments: [Surroundings.ownProgram] + arguments,
            environment: .inherited()
        )
        specification.standardError = standardError
        let token = tokens.add(1, ordering: .relaxed).newValue
        return try await withCheckedContinuation { continuation in
            supervisor.launch(specification, token: token, onStart: onStart) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Calls this program, and returns once it runs.
    func start(_ arguments: [String], standardError: ProcessOutput) async throws -> Running {
        let (starts, continuation) = AsyncStream<Int32>.makeStream()
        let end = Task {
            defer { continuation.finish() }
            return try await run(arguments, standardError: standardError) { continuation.yield($0) }
        }
        for await process in starts { return Running(process: process, end: end) }
        try Task.checkCancellation()
        _ = try await end.value
        throw CommandFailure(ExitStatus.fault, code: "fault", "A process ended without having started.")
    }

    /// Asks all of them to end; those that do not within the grace are killed.
    func terminate(grace: Duration) { supervisor.terminateAll(grace: grace) }

    /// Kills all of them, and returns once they are gone.
    func shutDown() { supervisor.shutDown() }
}
