import Glibc

/// Replaces the program of this process by another one.
///
/// The new program has the process's id, directory, environment, and the descriptors that were inherited. It is looked up in `PATH`
/// if its name has no slash.
///
/// - Parameters:
///   - arguments: the program, and its arguments.
///   - signals: the signals that this process ignores, and the program is not to.
/// - Throws: ``SystemFailure`` if the program cannot be started.
@_spi(Baton) public func replaceProgram(
    with arguments: [String],
    noticing signals: [Int32]
) throws(SystemFailure) -> Never {
    for number in signals { signal(number, SIG_DFL) }
    // The calling thread may block signals.
    var set = sigset_t()
    sigemptyset(&set)
    pthread_sigmask(SIG_SETMASK, &set, nil)
    var words = arguments.map { strdup($0) } + [nil]
    execvp(arguments[0], &words)
    let code = errno
    for word in words { free(word) }
    throw SystemFailure("cannot start \(arguments[0])", code: code)
}
