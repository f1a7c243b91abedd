import Glibc

/// Starts a detached thread that runs a body to its end.
///
/// The call fails at once if the system has no room for a thread; the pools of Dispatch would sleep and try again. The
/// thread blocks all signals, so that threads of the program that expect signals receive them.
///
/// - Throws: `SystemFailure` if the system has no room for the thread.
public func startOwnThread(_ body: @escaping @Sendable () -> Void) throws(SystemFailure) {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    // A thread inherits the signal mask of its creator.
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

    var thread = pthread_t()
    let box = Unmanaged.passRetained(ThreadBody(body))
    let code = pthread_create(&thread, nil, { runBody($0) }, box.toOpaque())
    guard code == 0 else {
        box.release()
        throw SystemFailure("cannot start a thread", code: code)
    }
    pthread_detach(thread)
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runBody(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let box else { return nil }
    Unmanaged<ThreadBody>.fromOpaque(box).takeRetainedValue().run()
    return nil
}
