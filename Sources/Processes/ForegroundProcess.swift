import Glibc

/// A process that takes the place of its starter for a while: it has its terminal, standard streams, process group and other inherited
/// descriptors.
@_spi(Baton) public struct ForegroundProcess: Sendable {
    /// The id of the process.
    public let processID: Int32

    /// Starts a program, which is looked up in `PATH` if its name has no slash.
    ///
    /// - Parameters:
    ///   - arguments: the program, and its arguments.
    ///   - environment: its variables.
    ///   - signals: the signals that this process ignores, and the program is not to.
    /// - Throws: ``SystemFailure`` if the program cannot be started.
    public init(
        _ arguments: [String],
        environment: ProcessEnvironment,
        noticing signals: [Int32]
    ) throws(SystemFailure) {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals { sigaddset(&set, number) }
        posix_spawnattr_setsigdefault(&attributes, &set)
        // The calling thread may block signals.
        sigemptyset(&set)
        posix_spawnattr_setsigmask(&attributes, &set)
        posix_spawnattr_setflags(&attributes, Int16(Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)))

        var words = arguments.map { strdup($0) } + [nil]
        var variables = environment.texts.map { strdup($0) } + [nil]
        defer { for text in words + variables { free(text) } }
        var processID: pid_t = 0
        let code = posix_spawnp(&processID, arguments[0], nil, &attributes, &words, &variables)
        guard code == 0 else { throw SystemFailure("cannot start \(arguments[0])", code: code) }
        self.processID = processID
    }

    /// Blocks the calling thread until the process has ended; one caller gets its end.
    public func waitForEnd() -> ProcessEnd { ProcessEnd(ofChild: processID) }
}
