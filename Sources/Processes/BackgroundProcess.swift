import Glibc

/// A process that outlives its starter, in a session of its own without a terminal.
@_spi(Baton) public struct BackgroundProcess: Sendable {
    /// The number of the descriptor on which the process finds the pipe of its starter.
    public static let pipeDescriptor: Int32 = 3

    /// The id of the process.
    public let processID: Int32

    /// Starts a program, with `/dev/null` as its standard input.
    ///
    /// - Parameters:
    ///   - arguments: the path of the program, and its arguments.
    ///   - environment: its variables.
    ///   - output: the descriptor for standard output and standard error.
    ///   - pipe: the descriptor that the process finds at ``pipeDescriptor``.
    /// - Throws: ``SystemFailure`` if the program cannot be started.
    public init(
        _ arguments: [String],
        environment: ProcessEnvironment,
        output: Int32,
        pipe: Int32
    ) throws(SystemFailure) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        posix_spawn_file_actions_adddup2(&actions, pipe, Self.pipeDescriptor)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        // In spawn.h, behind a macro that Swift does not see.
        let newSession: Int32 = 0x80
        posix_spawnattr_setflags(
            &attributes,
            Int16(Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK) | newSession)
        )

        var words = arguments.map { strdup($0) } + [nil]
        var variables = environment.texts.map { strdup($0) } + [nil]
        defer { for text in words + variables { free(text) } }
        var processID: pid_t = 0
        let code = posix_spawn(&processID, arguments[0], &actions, &attributes, &words, &variables)
        guard code == 0 else { throw SystemFailure("cannot start \(arguments[0])", code: code) }
        self.processID = processID
    }

    /// Blocks the calling thread until the process has ended; one caller gets its end.
    public func waitForEnd() -> ProcessEnd { ProcessEnd(ofChild: processID) }
}
