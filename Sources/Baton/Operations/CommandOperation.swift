public import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// An operation that runs a program.
///
/// ```swift
/// let count = CommandOperation("wc", "-l", "words.txt")
/// try await queue.addOperation(count)
/// try await count.waitUntilFinished()
/// print(count.exitStatus ?? -1)
/// ```
///
/// The class is `@unchecked Sendable` as its superclass is: all that changes is behind the superclass's lock.
public final class CommandOperation: DistributedOperation, @unchecked Sendable {
    /// A stream that a command writes.
    public enum Stream: String, Hashable, Sendable {
        /// Standard output.
        case output
        /// Standard error.
        case error
    }

    /// The program with its arguments.
    public let command: [String]
    private let surroundings: CommandSurroundings

    /// Describes a program's run.
    ///
    /// - Parameters:
    ///   - command: the program with its arguments. The worker looks a name without a slash up in its `PATH`.
    ///   - environment: variables to add to the worker's own environment.
    ///   - directory: the working directory; nil for the worker's own.
    ///   - standardInput: the file for standard input; nil for none.
    ///   - gracePeriod: the time between SIGTERM and SIGKILL when the operation is ended; nil for ever.
    ///   - options: how the operation is run.
    public init(
        command: [String],
        environment: [String: String] = [:],
        directory: String? = nil,
        standardInput: String? = nil,
        gracePeriod: Duration? = .seconds(5),
        options: OperationOptions = OperationOptions()
    ) {
        self.command = command
        surroundings = CommandSurroundings(environment, directory, standardInput, gracePeriod)
        super.init(options: options)
    }

    /// Describes a program's run with its arguments in a row.
    public convenience init(_ program: String, _ arguments: String..., options: OperationOptions = OperationOptions()) {
        self.init(command: [program] + arguments, options: options)
    }

    /// Describes the run of a script under `sh -c`.
    public convenience init(shell script: String, options: OperationOptions = OperationOptions()) {
        self.init(command: ["/bin/sh", "-c", script], options: options)
    }

    override func makeWork() -> Work { surroundings.work(running: [command]) }

    /// The exit status of the last attempt; nil before the end of the attempt, and after the end by a signal.
    public var exitStatus: Int32? { heard { $0.exitStatus } }

    /// The signal that ended the last attempt; nil for none.
    public var terminationSignal: Int32? { heard { $0.signal } }

    /// Follows what the command writes, as it is written, until the end of the attempt.
    ///
    /// - Parameters:
    ///   - stream: the stream to read.
    ///   - attempt: the number of an attempt; nil reads all attempts, one after another, until the operation is finished.
    /// - Returns: pieces of the output. Reading throws ``ClusterError`` `unavailable` for output that is not kept any more, and
    ///   `notAdded` for an operation that is in no queue.
    public func output(_ stream: Stream = .output, attempt: Int? = nil) -> EventStream<Data> {
        EventStream { OutputSource(of: self, stream == .output ? .standardOutput : .standardError, attempt: attempt) }
    }
}

/// What the programs of an operation find around them.
struct CommandSurroundings: Sendable {
    private let environment: [String: String]
    private let directory: String?
    private let standardInput: String?
    private let gracePeriod: Duration?

    init(
        _ environment: [String: String],
        _ directory: String?,
        _ standardInput: String?,
        _ gracePeriod: Duration?
    ) {
        self.environment = environment
        self.directory = directory
        self.standardInput = standardInput
        self.gracePeriod = gracePeriod
    }

    func work(running commands: [[String]]) -> Work {
        Work(
            .commands(commands),
            environment: environment,
            directory: directory,
            standardInput: standardInput,
            gracePeriod: gracePeriod.map { .after($0) } ?? .forever
        )
    }
}
