import Glibc

/// Starts a thread that runs a loop to its end.
///
/// The thread blocks all signals, so that threads of the program that expect signals receive them.
func startThread(with loop: sending SupervisorLoop) throws(SystemFailure) -> pthread_t {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    // A thread inherits the signal mask of its creator.
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

    var thread = pthread_t()
    let box = Unmanaged.passRetained(loop)
    let code = pthread_create(&thread, nil, { runLoop($0) }, box.toOpaque())
    guard code == 0 else {
        box.release()
        throw SystemFailure("cannot start a thread for the supervisor of processes", code: code)
    }
    return thread
}

private func runLoop(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let box else { return nil }
    Unmanaged<SupervisorLoop>.fromOpaque(box).takeRetainedValue().run()
    return nil
}
