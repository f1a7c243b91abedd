#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Starts the thread that owns a connection's socket; the thread ends with the loop.
func startClientThread(with loop: sending ClientLoop) throws(ClientError) {
    // The thread blocks all signals and leaves them to other threads. A new thread inherits the signal mask of its creator.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    defer { pthread_attr_destroy(&attributes) }

    #if canImport(Darwin)
        var thread: pthread_t?
    #else
        var thread = pthread_t()
    #endif
    let box = Unmanaged.passRetained(loop)
    let code = pthread_create(&thread, &attributes, { runLoop($0) }, box.toOpaque())
    guard code == 0 else {
        box.release()
        throw .system("Cannot start a thread for the connection: error \(code). Raise the limit (ulimit -u).")
    }
}

private func runLoop(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let box else { return nil }
    Unmanaged<ClientLoop>.fromOpaque(box).takeRetainedValue().run()
    return nil
}
