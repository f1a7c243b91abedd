import Synchronization
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// An operation of several programs, which run at once on one worker: the counterpart of `BlockOperation`.
///
/// ```swift
/// let pair = GroupOperation(commands: [["server", "--once"], ["client"]])
/// try await queue.addOperation(pair)
/// ```
///
/// The operation is finished when all programs have ended, and fails if one of them does. The class is `@unchecked Sendable` as
/// its superclass is: all that changes is behind the superclass's lock.
public final class GroupOperation: DistributedOperation, @unchecked Sendable {
    private let surroundings: CommandSurroundings

    /// Describes the run of programs.
    ///
    /// - Parameters:
    ///   - commands: the programs with their arguments; at least one is needed when the operation is added.
    ///   - environment: variables to add to the worker's own environment.
    ///   - directory: the working directory; nil for the worker's own.
    ///   - gracePeriod: the time between SIGTERM and SIGKILL when the operation is ended; nil for ever.
    ///   - options: how the operation is run.
    public init(
        commands: [[String]] = [],
        environment: [String: String] = [:],
        directory: String? = nil,
        gracePeriod: Duration? = .seconds(5),
        options: OperationOptions = OperationOptions()
    ) {
        surroundings = CommandSurroundings(environment, directory, nil, gracePeriod)
        super.init(options: options)
        status.withLock { $0.commands = commands }
    }

    /// The programs with their arguments.
    public var commands: [[String]] { status.withLock(\.commands) }

    override func makeWork() -> Work { surroundings.work(running: commands) }

    /// Adds a program.
    ///
    /// - Throws: ``ClusterError`` `invalid` if the command is empty, or if the operation is known to have started. A refusal by
    ///   the coordinator, because the operation has started meanwhile, is thrown by the next wait or flush.
    public func addCommand(_ command: [String]) throws(ClusterError) {
        guard let program = command.first, !program.isEmpty else {
            throw ClusterError(.invalid, "A command is empty. Give a program and its arguments.")
        }
        let place = try status.withLock { status throws(ClusterError) in
            guard status.heardState != .executing, status.heardState != .finished else {
                throw ClusterError(
                    .invalid,
                    "No command was added, because the operation has started. Add another operation for the command."
                )
            }
            // The programs of a waiting addition are fixed already, as all of its work is.
            if case .free = status.place {} else { return status.place }
            status.commands.append(command)
            return status.place
        }
        guard let queue = place.queue else { return }
        status.withLock { $0.commands.append(command) }
        queue.cluster.line.append(.change(LineChange(of: self) { .addCommand($0, command) }))
    }
}
